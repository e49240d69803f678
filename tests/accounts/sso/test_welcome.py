"""Newcomers at the same instant."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from allauth.socialaccount.models import SocialAccount
from django.db import connection

from accounts.models import Membership, Team, User
from accounts.sso.directory import Grant
from accounts.sso.people import welcome
from accounts.sso.profile import read

GRANTS = (Grant("g", "vision", "viewer"),)


@pytest.mark.django_db(transaction=True)
def test_each_comes_in_once_and_under_a_name_of_their_own() -> None:
    def come_in(subject: str) -> int:
        profile = read({"preferred_username": "ada", "groups": ["g"]}, "groups")
        person = welcome("https://id.example.com", subject, profile, GRANTS)
        connection.close()
        return person.pk

    with ThreadPoolExecutor(6) as pool:
        came = list(pool.map(come_in, ["s-1", "s-2", "s-3"] * 4))
    assert came == came[:3] * 4
    assert set(User.objects.values_list("username", flat=True)) == {"ada", "ada-2", "ada-3"}
    assert (SocialAccount.objects.count(), Membership.objects.count(), Team.objects.count()) == (3, 3, 1)
