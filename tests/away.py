"""A product whose database and broker can each be stopped, and somebody who is logged in to it."""

import http.cookiejar
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

from ettdash.launcher.embedded import Postgres, Valkey
from tests.launcher.running import Launcher, create_token, discard, launched


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Message
    text: str

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


class Stays(urllib.request.HTTPRedirectHandler):
    """Does not follow."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass
class Visitor:
    """A browser without a window: it keeps cookies and follows nothing."""

    launcher: Launcher
    jar: http.cookiejar.CookieJar = field(default_factory=http.cookiejar.CookieJar)

    def ask(self, path: str, data: bytes | None = None, **headers: str) -> Answer:
        """The answer to a GET, or a POST where there are data."""
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar), Stays)
        request = urllib.request.Request(f"http://127.0.0.1:{self.launcher.port}{path}", data, headers)
        try:
            with opener.open(request, timeout=30) as answer:
                return Answer(answer.status, answer.headers, answer.read().decode())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read().decode())

    def log_in(self, **form: str) -> Answer:
        """Send the login form, as it was shown."""
        fields = {"csrfmiddlewaretoken": self._form_token(), **form}
        return self.ask("/login/", urllib.parse.urlencode(fields).encode())

    def _form_token(self) -> str:
        kept = [cookie.value or "" for cookie in self.jar if "csrf" in cookie.name]
        if kept:
            return kept[0]
        shown = re.search(r'csrfmiddlewaretoken" value="(\w+)"', self.ask("/login/").text)
        assert shown
        return shown[1]


@dataclass
class Away:
    """The running product and its two servers."""

    launcher: Launcher
    postgres: Postgres
    valkey: Valkey
    token: str

    def send(self) -> Answer:
        """Post a heartbeat."""
        beat = {"id": str(uuid.uuid4()), "type": "heartbeat", "job": "a", "attempt": 1, "ts": time.time()}
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return Visitor(self.launcher).ask("/api/v1/events", json.dumps([beat]).encode(), **headers)

    def member(self) -> Visitor:
        """The first person, logged in."""
        secrets = json.loads((self.launcher.data_dir / "secrets.json").read_text())
        visitor = Visitor(self.launcher)
        answer = visitor.log_in(username="admin", password=secrets["admin_password"])
        assert answer.status == 302, answer.text
        return visitor


@contextmanager
def product(folder: Path) -> Iterator[Away]:
    """A product on servers that the launcher does not start again."""
    postgres, valkey = Postgres(folder / "postgres"), Valkey(folder / "valkey")
    try:
        with (
            postgres,
            valkey,
            launched(
                folder / "product",
                DATABASE_URL=postgres.url,
                REDIS_URL=valkey.url,
                ETTDASH_WEB_WORKERS="2",
            ) as launcher,
        ):
            launcher.up()
            yield Away(launcher, postgres, valkey, create_token(folder / "product", "vision"))
    finally:
        for name in ("postgres", "valkey", "product"):
            discard(folder / name)
