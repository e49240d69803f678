"""Who may do what: people, teams and the tokens that trainers carry."""

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models


class User(AbstractUser):
    """A person who logs in. A superuser is fleet admin: sees and manages every team."""

    is_fleet_viewer = models.BooleanField(default=False, help_text="Sees every team, and changes nothing.")


class Team(models.Model):
    """Whose jobs they are: a job's name is unique within its team."""

    name = models.CharField(max_length=255, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """What a user may do in a team."""

    class Role(models.TextChoices):
        VIEWER = "viewer"
        OPERATOR = "operator"
        ADMIN = "admin"

    class Origin(models.TextChoices):
        HAND = "hand"
        SSO = "sso"

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.VIEWER)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.HAND)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "team"], name="accounts_membership_once")
        ]


class Token(models.Model):
    """A key to the API for one team; only its hash is kept."""

    class Scope(models.TextChoices):
        WRITE = "write"
        READ = "read"
        ADMIN = "admin"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=255)
    digest = models.BinaryField(max_length=32, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope.choices))
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="tokens_made"
    )
    # The key of the form that asked for it: sent again, the form makes no second token.
    form_key = models.UUIDField(null=True, blank=True, unique=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.team})"


class AuditEntry(models.Model):
    """Who changed what, and when; kept when the person or the team is gone."""

    class Action(models.TextChoices):
        TEAM_MADE = "team_made", "made team"
        TEAM_RENAMED = "team_renamed", "renamed team"
        MEMBER_ADDED = "member_added", "added member"
        ROLE_CHANGED = "role_changed", "changed role of"
        MEMBER_REMOVED = "member_removed", "removed member"
        TOKEN_MADE = "token_made", "made token"
        TOKEN_REVOKED = "token_revoked", "revoked token"
        PERSON_MADE = "person_made", "made person"
        PERSON_CHANGED = "person_changed", "changed person"
        LINK_MADE = "link_made", "made password link for"
        PASSWORD_SET = "password_set", "set password of"

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    actor_name = models.CharField(max_length=150)
    team = models.ForeignKey(Team, null=True, on_delete=models.SET_NULL, related_name="audit")
    action = models.CharField(max_length=32, choices=Action.choices)
    subject = models.CharField(max_length=255)
    detail = models.CharField(max_length=1024, blank=True)

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]
        indexes: ClassVar = [
            models.Index(fields=["-at", "-id"], name="accounts_audit_latest"),
            models.Index(fields=["team", "-at", "-id"], name="accounts_audit_of_team"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.get_action_display()} {self.subject}"
