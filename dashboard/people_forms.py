"""What people and admins may fill in under /settings/."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm, UsernameField
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from accounts.access import ROLES
from accounts.models import Token

ROLE_CHOICES = [(role.value, role.value) for role in ROLES]
SCOPES = [
    (Token.Scope.WRITE.value, "write: send events and annotations"),
    (Token.Scope.READ.value, "read: ask for numbers"),
    (Token.Scope.ADMIN.value, "admin: change what the team has"),
]


class TeamName(forms.Form):
    """What a team is called."""

    name = forms.CharField(max_length=255, label="Name of the team")


class NewRole(forms.Form):
    """What a member may do."""

    role = forms.ChoiceField(choices=ROLE_CHOICES, label="Role")


class NewMember(NewRole):
    """Who joins a team, and as what."""

    username = forms.CharField(
        max_length=150,
        label="User name",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    field_order = ["username", "role"]


class NewToken(forms.Form):
    """What a token is for, what it opens, and until when."""

    name = forms.CharField(
        max_length=255, help_text="What it is for, such as the trainer that sends with it."
    )
    scopes = forms.MultipleChoiceField(
        choices=SCOPES, widget=forms.CheckboxSelectMultiple, initial=[Token.Scope.WRITE.value], label="It may"
    )
    expires_on = forms.DateField(
        required=False,
        label="Last day",
        widget=forms.DateInput({"type": "date"}),
        help_text="It works to the end of this day, in UTC. Empty: until it is revoked.",
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    def clean_expires_on(self) -> datetime | None:
        """The instant after that day, which must not be over."""
        last = self.cleaned_data["expires_on"]
        if last is None:
            return None
        try:
            end = datetime.combine(last + timedelta(days=1), time(), UTC)
        except OverflowError:
            raise ValidationError("That day is too far away.") from None
        if end <= timezone.now():
            raise ValidationError("That day is over.")
        return end


class NewPerson(forms.Form):
    """Who is to log in."""

    username = UsernameField(
        max_length=150,
        label="User name",
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
        help_text="Letters, digits and @ . + - _",
    )
    email = forms.EmailField(required=False, label="E-mail", help_text="Optional; nothing is sent to it.")


class OwnPassword(PasswordChangeForm):
    """A new password for who knows the old one; wrong ones count as they do at the log-in."""

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        old: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.user.get_username(), password=old) is None:
            raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return old


class FleetRights(forms.Form):
    """What a person may see and do in all teams."""

    viewer = forms.BooleanField(
        required=False, label="Fleet viewer", help_text="Sees every team, and changes nothing by it."
    )
    admin = forms.BooleanField(
        required=False, label="Fleet admin", help_text="Sees and manages every team, and all people."
    )
