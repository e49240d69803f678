"""Making people, and saying what they may do in the whole fleet."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.db import connection

from accounts import people
from accounts.models import AuditEntry, User
from accounts.refused import Refused


def told() -> list[tuple[str, str, str]]:
    return [(row.action, row.subject, row.detail) for row in AuditEntry.objects.order_by("pk")]


def test_a_new_person_has_no_password_but_a_link(boss: User) -> None:
    ada, link = people.make_person("ada", "ada@example.com", boss)
    assert (ada.is_superuser, ada.is_fleet_viewer, ada.is_active) == (False, False, True)
    assert not ada.has_usable_password()
    assert default_token_generator.check_token(ada, link.token)
    ada.set_password("her own password")
    ada.save()
    assert not default_token_generator.check_token(ada, link.token)
    assert told() == [("person_made", "ada", "")]


def test_names_differ_in_more_than_case(boss: User) -> None:
    with pytest.raises(Refused, match="differs only in case"):
        people.make_person("Boss", "", boss)
    assert User.objects.count() == 1


def test_fleet_rights_are_given_taken_and_written_down(boss: User) -> None:
    ada, _ = people.make_person("ada", "", boss)
    people.set_fleet_rights(ada, viewer=True, admin=True, by=boss)
    people.set_fleet_rights(ada, viewer=True, admin=True, by=boss)
    people.set_fleet_rights(ada, viewer=True, admin=False, by=boss)
    ada.refresh_from_db()
    assert (ada.is_fleet_viewer, ada.is_superuser) == (True, False)
    assert told()[1:] == [
        ("person_changed", "ada", "fleet viewer, fleet admin"),
        ("person_changed", "ada", "no longer fleet admin"),
    ]


def test_nobody_takes_it_from_themselves(boss: User) -> None:
    User.objects.create_superuser("other")
    with pytest.raises(Refused, match="yourself"):
        people.set_fleet_rights(boss, viewer=False, admin=False, by=boss)
    with pytest.raises(Refused, match="yourself"):
        people.deactivate(boss, boss)
    people.set_fleet_rights(boss, viewer=True, admin=True, by=boss)


def test_the_last_fleet_admin_stays(boss: User) -> None:
    late = User.objects.create_superuser("late", is_active=False)
    with pytest.raises(Refused, match="at least one"):
        people.set_fleet_rights(boss, viewer=False, admin=False, by=late)
    with pytest.raises(Refused, match="at least one"):
        people.deactivate(boss, late)


@pytest.mark.django_db(transaction=True)
def test_two_fleet_admins_cannot_remove_each_other() -> None:
    one, two = (User.objects.create_superuser(name) for name in ("one", "two"))
    both_ready = Barrier(2)

    def demote(victim: User, by: User) -> bool:
        both_ready.wait()
        try:
            people.set_fleet_rights(victim, viewer=False, admin=False, by=by)
        except Refused:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor() as pool:
        done = list(pool.map(demote, (one, two), (two, one)))
    assert sorted(done) == [False, True]
    assert User.objects.filter(is_superuser=True).count() == 1


def test_whoever_is_deactivated_comes_back_with_a_new_password_alone(boss: User) -> None:
    ada, link = people.make_person("ada", "", boss)
    ada.set_password("her own password")
    ada.save()
    sessions = ada.get_session_auth_hash()
    link = people.make_link(ada, boss)
    people.deactivate(ada, boss)
    people.deactivate(ada, boss)
    with pytest.raises(Refused, match="deactivated"):
        people.make_link(User.objects.get(pk=ada.pk), boss)
    people.activate(ada, boss)
    people.activate(ada, boss)
    ada.refresh_from_db()
    assert ada.is_active
    assert not ada.check_password("her own password")
    assert ada.get_session_auth_hash() != sessions
    assert not default_token_generator.check_token(ada, link.token)
    assert [detail for _, _, detail in told()[2:]] == ["deactivated", "activated"]
