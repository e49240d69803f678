"""The services of docker-compose.yml as plain processes: commands and environment as they stand there."""

import http.client
import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

from ettdash.launcher import files, ports
from ettdash.launcher.data_dir import SECRETS, prepare
from ettdash.launcher.embedded import Services, discard
from tests.deploy import compose, image


@dataclass(frozen=True)
class Answer:
    """What a web server said."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def cookies(self) -> dict[str, str]:
        """The cookies that it set."""
        found = SimpleCookie("; ".join(self.headers.get_all("Set-Cookie", [])))
        return {name: morsel.value for name, morsel in found.items()}


@dataclass(frozen=True)
class Container:
    """One running process of a service."""

    service: Mapping[str, Any]
    tree: Path
    env: dict[str, str]
    process: subprocess.Popen[bytes]

    def is_well(self) -> bool:
        """Run the service's own health check."""
        command = self.service["healthcheck"]["test"][1:]
        return subprocess.run(command, cwd=self.tree, env=self.env).returncode == 0

    def run(self, *command: str) -> str:
        """Run a command beside it, as `docker compose exec` does; what it printed."""
        done = subprocess.run(
            command, cwd=self.tree, env=self.env, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout.strip()

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Ask as a proxy with TLS does; headers may say otherwise."""
        port = int(self.env["ETTDASH_PORT"])
        asked = {
            "Host": "ett.example.com",
            "X-Forwarded-Proto": "https",
            "Referer": "https://ett.example.com/",
        }
        asked |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET" if body is None else "POST", path, body, asked)
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


@dataclass
class Deployment:
    """Everything that compose would run, on one machine."""

    folder: Path
    tree: Path
    values: dict[str, str]
    servers: Services
    containers: dict[str, list[Container]] = field(default_factory=dict)

    def start(self, name: str) -> Container:
        """Start one more of a service."""
        number = len(self.containers.setdefault(name, [])) + 1
        service = compose.services(self.values)[name]
        env = self._environment(service, self.folder / f"{name}-{number}")
        with (self.folder / f"{name}-{number}.log").open("wb") as log:
            process = subprocess.Popen(service["command"], cwd=self.tree, env=env, stdout=log, stderr=log)
        container = Container(service, self.tree, env, process)
        self.containers[name].append(container)
        return container

    def all(self) -> list[Container]:
        """Every process that was started."""
        return [container for group in self.containers.values() for container in group]

    def said(self, name: str = "*") -> str:
        """What those of a service wrote, or all of them."""
        return "".join(path.read_text() for path in sorted(self.folder.glob(f"{name}-?.log")))

    def _environment(self, service: Mapping[str, Any], tmp: Path) -> dict[str, str]:
        """What a container sees, but that all share a network and a /tmp, so each has a port and a folder."""
        tmp.mkdir()
        env = image.environment(self.tree) | compose.environment(service, self.values)
        env["PATH"] = env["PATH"].replace("$PATH", "/usr/bin:/bin")
        env["DATABASE_URL"] = _moved(env["DATABASE_URL"], "postgres:5432", self.servers.database_url)
        env["REDIS_URL"] = _moved(env["REDIS_URL"], "redis:6379", self.servers.redis_url)
        for name in ("HOME", "PROMETHEUS_MULTIPROC_DIR", "ETTDASH_ALIVE_FILE"):
            env[name] = env[name].replace("/tmp", str(tmp))
        return env | {"ETTDASH_PORT": str(ports.choose()), "ETTDASH_LISTEN": "127.0.0.1", "TMPDIR": str(tmp)}


def _moved(url: str, inside: str, actual: str) -> str:
    """The same user, password and name at another host and port."""
    assert f"@{inside}/" in url
    return url.replace(f"@{inside}/", f"@{actual.rpartition('@')[2].partition('/')[0]}/")


@contextmanager
def deployed(folder: Path) -> Iterator[Deployment]:
    """A built image, with database and broker that have the passwords of the .env file; nothing else runs."""
    values, data_dir = compose.filled(), folder / "services"
    secrets = {"postgres_password": values["POSTGRES_PASSWORD"], "redis_password": values["REDIS_PASSWORD"]}
    files.write_private_json(prepare(data_dir).root / SECRETS, secrets)
    try:
        image.build(folder / "app")
        with Services(data_dir) as servers:
            deployment = Deployment(folder, folder / "app", values, servers)
            yield deployment
            for container in deployment.all():
                container.process.kill()
                container.process.wait()
    finally:
        discard(data_dir)


def json_of(answer: Answer) -> Any:
    """The body of an answer."""
    return json.loads(answer.body)
