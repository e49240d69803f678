"""The fleet page: what it says, of whose jobs, and with how many questions."""

import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Membership, Team, User
from dashboard.numbers import MINUS, THIN
from ett.events import DAY, HOUR, SECOND
from ingest.models import Job, Mark
from rollup.models import Annotation, JobTotal
from tests.dashboard.fleet import add_day, add_job, fill, make_team

pytestmark = pytest.mark.django_db


def text_of(client: Client, address: str = "/") -> str:
    """The words of a page, with plain spaces."""
    response = client.get(address)
    assert response.status_code == 200
    words = re.sub(r"<script.*?</script>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(words).replace(THIN, " ").split())


def days_ago(n: int) -> date:
    return timezone.now().date() - timedelta(days=n)


@pytest.fixture
def team() -> Team:
    return make_team()


def test_who_is_not_logged_in_is_sent_to_the_log_in_and_back(client: Client) -> None:
    response = client.get("/?range=7d")
    assert response.status_code == 302
    assert response.headers["Location"] == "/login/?next=/%3Frange%3D7d"


def test_the_live_part_sends_an_expired_session_to_the_log_in(client: Client) -> None:
    response = client.get("/fleet/live", headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"] == "/login/"


def test_ett_is_a_ratio_of_sums_by_gpus_or_by_wall_time(visitor: Client, team: Team) -> None:
    large, small = add_job(team), add_job(team)
    add_day(large, days_ago(1), {"effective": 9 * HOUR, "stalled": HOUR}, gpus=900)
    add_day(small, days_ago(1), {"effective": 0, "stalled": 10 * HOUR}, gpus=100)
    assert "ETT 81.0 %" in text_of(visitor)
    assert "ETT 45.0 %" in text_of(visitor, "/?weight=wall")


def test_an_unknown_range_or_weight_means_the_default(visitor: Client, team: Team) -> None:
    add_day(add_job(team), days_ago(1), {"effective": HOUR})
    assert "previous 30 days" in text_of(visitor, "/?range=1y&weight=moon")


def test_the_headline_says_what_moved_and_on_which_model(visitor: Client, team: Team) -> None:
    for model, slow in (("ranker-xl", 2 * HOUR), ("ads", 0)):
        job = add_job(team)
        add_day(job, days_ago(40), {"effective": 10 * HOUR}, model=model)
        add_day(job, days_ago(2), {"effective": 10 * HOUR - slow, "launcher_init": slow}, model=model)
    text = text_of(visitor)
    assert "ETT is down 10.0 points on the previous 30 days." in text
    assert "What moved most: launcher_init +10.0 pt, of which ranker-xl +10.0 pt" in text
    assert f"{MINUS}10.0 pt" in text


def test_without_a_period_before_it_says_so(visitor: Client, team: Team) -> None:
    add_day(add_job(team), days_ago(1), {"effective": HOUR})
    assert "too little in the 30 days before to compare with" in text_of(visitor)


def test_a_sliver_of_the_period_before_is_not_compared_with(visitor: Client, team: Team) -> None:
    job = add_job(team)
    for n in (1, 2, 3):
        add_day(job, days_ago(n), {"effective": HOUR})
    add_day(job, days_ago(40), {"stalled": HOUR})
    text = text_of(visitor)
    assert "too little in the 30 days before to compare with" in text
    assert " pt on the previous" not in text


def test_no_time_in_the_range_is_a_dash_and_not_zero(visitor: Client, team: Team) -> None:
    add_day(add_job(team), days_ago(50), {"effective": HOUR})
    text = text_of(visitor, "/?range=7d")
    assert "ETT —" in text
    assert "No GPU time in the last 7 days." in text
    assert " 0.0 %" not in text


def test_jobs_without_gpus_have_wall_time_only(visitor: Client, team: Team) -> None:
    add_day(add_job(team), days_ago(1), {"effective": HOUR}, gpus=0)
    assert "ETT —" in text_of(visitor)
    assert "ETT 100.0 %" in text_of(visitor, "/?weight=wall")


def test_ett_idleness_and_failure_make_the_whole(visitor: Client, team: Team) -> None:
    spent = {"effective": 50 * HOUR, "launcher_init": 20 * HOUR, "unsaved": 10 * HOUR, "downtime": 20 * HOUR}
    add_day(add_job(team), days_ago(1), spent, failure=35 * HOUR, gpus=1)
    text = text_of(visitor)
    assert "ETT 50.0 % Idleness 15.0 % Failure 35.0 %" in text
    assert "Sum 100.0 % 100" in text


def test_lost_hours_leave_out_scheduling_and_downtime(visitor: Client, team: Team) -> None:
    spent = {"effective": 50 * HOUR, "scheduling": 7 * HOUR, "downtime": 20 * HOUR, "unsaved": 10 * HOUR}
    add_day(add_job(team), days_ago(1), spent, gpus=10)
    assert "100 GPU-hours were lost" in text_of(visitor)


def test_models_stand_worst_first_by_hours_lost(visitor: Client, team: Team) -> None:
    job = add_job(team)
    add_day(job, days_ago(1), {"effective": HOUR, "stalled": 2 * HOUR}, model="loses-little", gpus=1)
    add_day(job, days_ago(2), {"effective": 9 * HOUR, "stalled": HOUR}, model="loses-much", gpus=100)
    text = text_of(visitor)
    assert text.index("loses-much") < text.index("loses-little")
    assert "2 models" in text


def test_an_interrupted_job_that_nobody_restarted_is_down(visitor: Client, team: Team) -> None:
    now = int(timezone.now().timestamp() * SECOND)
    add_job(team, "fallen", state="failed", gpus=512, down_since=now - HOUR)
    add_job(team, "given-up", state="failed", gpus=512, down_since=now - 8 * DAY)
    text = text_of(visitor)
    assert "Down now: 1 job, 512 GPUs" in text
    assert "fallen" in text
    assert "given-up" not in text


def test_running_jobs_are_told_largest_first_and_counted(visitor: Client, team: Team) -> None:
    for n in range(12):
        add_job(team, f"live-{n:02}", gpus=n)
    text = text_of(visitor)
    assert "Running now: 12 jobs on 66 GPUs" in text
    assert text.index("live-11") < text.index("live-02")
    assert "live-01" not in text


def test_events_that_wait_for_long_raise_a_banner(visitor: Client, team: Team) -> None:
    job = add_job(team)
    assert "Numbers are behind" not in text_of(visitor)
    Mark.objects.create(job=job, attempt=1, made_at=timezone.now() - timedelta(minutes=2))
    assert "Events have been waiting for 2 m" in text_of(visitor)


def test_annotations_of_the_range_have_letters(visitor: Client, team: Team) -> None:
    add_job(team)
    for n, title in ((3, "launcher 4.2"), (9, "MegaCache"), (80, "long ago")):
        Annotation.objects.create(
            team=team, ts=timezone.now() - timedelta(days=n), title=title, kind="deploy", link="javascript:x"
        )
    text = text_of(visitor)
    assert re.search(r"A \d+ \w+ deploy MegaCache B \d+ \w+ deploy launcher 4.2", text)
    assert "long ago" not in text
    assert b"javascript:" not in visitor.get("/").content


def test_a_member_sees_the_own_teams_only(client: Client, team: Team) -> None:
    other = make_team("ads")
    for owner, name in ((team, "mine"), (other, "secret")):
        now = int(timezone.now().timestamp() * SECOND)
        job = add_job(owner, f"{name}-job", model=f"{name}-model")
        add_job(owner, f"{name}-down", state="failed", down_since=now - HOUR, gpus=7)
        add_day(job, days_ago(1), {"effective": HOUR}, model=f"{name}-model")
        Annotation.objects.create(team=owner, ts=timezone.now(), title=f"{name}-note", kind="config")
        Mark.objects.create(job=job, attempt=1)
    Mark.objects.filter(job__team=other).update(made_at=timezone.now() - timedelta(hours=1))
    member = User.objects.create_user("member")
    Membership.objects.create(user=member, team=team)
    client.force_login(member)
    for address in ("/", "/fleet/live"):
        text = text_of(client, address)
        assert all(f"mine-{what}" in text for what in ("job", "down", "model", "note"))
        assert "secret" not in text
        assert "Numbers are behind" not in text
        assert "Running now: 1 job on 8 GPUs" in text
        assert "Down now: 1 job, 7 GPUs" in text


def test_who_is_in_no_team_is_told_so(client: Client, team: Team) -> None:
    add_job(team)
    client.force_login(User.objects.create_user("stranger"))
    assert "You are in no team yet" in text_of(client)


def test_a_product_without_jobs_teaches_the_first_event(visitor: Client) -> None:
    text = text_of(visitor)
    assert "manage.py create_token my-trainer --team research --scope write" in text
    assert "curl http://testserver/api/v1/events" in text
    assert visitor.get("/fleet/live?shown=lesson").status_code == 204
    add_job(make_team())
    assert "Running now: 1 job" in text_of(visitor, "/fleet/live?shown=lesson")


def test_the_page_asks_the_same_number_of_questions_of_ten_times_the_jobs(visitor: Client) -> None:
    def questions() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert visitor.get("/").status_code == 200
        return len(asked)

    fill(jobs_a_model=1)
    few = questions()
    JobTotal.objects.all().delete()
    Job.objects.all().delete()
    fill(jobs_a_model=10)
    assert questions() == few
    assert few <= 11


def test_hostile_names_are_text(visitor: Client, team: Team) -> None:
    name = '<img src=x onerror="alert(1)">'
    now = int(timezone.now().timestamp() * SECOND)
    add_day(add_job(team, name, model=name), days_ago(1), {"effective": HOUR, "stalled": HOUR}, model=name)
    add_job(team, f"{name}2", cluster=name, state="failed", down_since=now - HOUR)
    Annotation.objects.create(team=team, ts=timezone.now(), title="</script>" + name, kind="config")
    content = visitor.get("/").content
    assert b"<img src=x" not in content
    assert content.count(b"&lt;img src=x") >= 5


def test_errors_are_told_in_style(visitor: Client) -> None:
    response = visitor.get("/no-such-page")
    assert response.status_code == 404
    assert b"There is no such page" in response.content


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "500", "database_away"])
def test_error_pages_need_neither_request_nor_database(name: str) -> None:
    assert "ettdash" in render_to_string(f"{name}.html")
