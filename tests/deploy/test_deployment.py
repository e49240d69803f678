"""The compose file run: two of each, in a folder that holds what the image holds."""

import json
import re
import signal
import time
import urllib.parse
import uuid
from collections.abc import Iterator

import psycopg
import pytest

from tests.deploy import compose
from tests.deploy.deployment import Container, Deployment, deployed, json_of
from tests.launcher.running import wait_until


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A deployment that is up; the last test stops it."""
    with deployed(tmp_path_factory.mktemp("deployment")) as deployment:
        migrations = [deployment.start("migrate").process for _ in range(2)]
        assert [migration.wait() for migration in migrations] == [0, 0], deployment.said()
        for name in ("web", "worker", "beat"):
            deployment.start(name)
            deployment.start(name)
        yield deployment


@pytest.fixture
def web(deployment: Deployment) -> Container:
    """One of the web servers, up."""
    web = deployment.containers["web"][0]
    wait_until(web.is_well, "the web answers")
    return web


def servers(deployment: Deployment) -> list[Container]:
    """All that go on running."""
    return [one for name in ("web", "worker", "beat") for one in deployment.containers[name]]


def test_all_are_well_by_their_own_health_checks(deployment: Deployment) -> None:
    for container in servers(deployment):
        wait_until(container.is_well, deployment.said())


def test_event_sent_to_both_webs_is_counted_once(deployment: Deployment, web: Container) -> None:
    token = web.run("python", "manage.py", "create_token", "trainer", "--team", "vision", "--scope", "write")
    event = {"id": str(uuid.uuid4()), "type": "heartbeat", "job": "a", "attempt": 1, "ts": time.time()}
    headers = {"Authorization": f"Bearer {token}", "Content_Type": "application/json"}
    answers = [
        json_of(one.ask("/api/v1/events", json.dumps([event]).encode(), **headers))
        for one in deployment.containers["web"]
    ]
    assert [(answer["accepted"], answer["duplicates"]) for answer in answers] == [(1, 0), (0, 1)]
    with psycopg.connect(deployment.servers.database_url, autocommit=True) as database:
        wait_until(lambda: database.execute("SELECT 1 FROM rollup_jobtotal").fetchall() == [(1,)], "counted")
        assert database.execute("SELECT count(*) FROM ingest_event").fetchone() == (1,)


def test_admin_logs_in_through_a_proxy_with_tls(deployment: Deployment, web: Container) -> None:
    form = web.ask("/login/")
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form.body.decode())
    assert found
    fields = {"username": "admin", "password": deployment.values["ETTDASH_ADMIN_PASSWORD"]}
    body = urllib.parse.urlencode(fields | {"csrfmiddlewaretoken": found[1]}).encode()
    cookies = "; ".join(f"{name}={value}" for name, value in form.cookies().items())
    kind = "application/x-www-form-urlencoded"
    answer = web.ask("/login/", body, Cookie=cookies, Content_Type=kind, Origin="https://ett.example.com")
    assert answer.status == 302, answer.body
    session = [line for line in answer.headers.get_all("Set-Cookie", []) if "session" in line]
    assert len(session) == 1
    assert session[0].startswith("__Host-")
    assert "; Secure" in session[0]
    assert "; HttpOnly" in session[0]
    assert "max-age=31536000" in form.headers["Strict-Transport-Security"]


def test_plain_http_is_sent_to_https_but_probes_are_answered(web: Container) -> None:
    answer = web.ask("/login/", X_Forwarded_Proto="http")
    assert (answer.status, answer.headers["Location"]) == (301, "https://ett.example.com/login/")
    for path in ("/healthz", "/readyz", "/metrics"):
        assert web.ask(path, X_Forwarded_Proto="http", Host="10.1.2.3:8000").status == 200
    assert web.ask("/login/", Host="stranger.example.com").status == 400


def test_static_files_of_the_image_are_served(web: Container) -> None:
    page = web.ask("/login/").body.decode()
    paths = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert paths
    assert {web.ask(path).status for path in paths} == {200}


def test_all_stop_within_their_grace(deployment: Deployment) -> None:
    everybody = servers(deployment)
    for container in everybody:
        container.process.send_signal(signal.SIGTERM)
    for container in everybody:
        grace = compose.seconds(container.service["stop_grace_period"])
        assert container.process.wait(timeout=grace) == 0, deployment.said()
    assert "Traceback" not in deployment.said("worker") + deployment.said("beat")
