"""docker-compose.yml and .env.example, looked at without Docker."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ettdash import programs
from ettdash.launcher.data_dir import PROJECT
from tests.deploy import compose

SERVICES = compose.services(compose.filled())
SERVERS = ("web", "worker", "beat")
# What a container has no use for, or what the compose file and the image decide.
NOT_PASSED_ON = {
    "DATABASE_URL_FILE", "REDIS_URL_FILE", "ETTDASH_SECRET_KEY_FILE", "ETTDASH_OIDC_CLIENT_SECRET_FILE",
    "ETTDASH_PORT", "ETTDASH_LISTEN", "ETTDASH_DATA_DIR", "ETTDASH_DEBUG", "ETTDASH_PG_BIN",
    "ETTDASH_PG_LISTEN", "ETTDASH_ALIVE_FILE", "PROMETHEUS_MULTIPROC_DIR",
}  # fmt: skip

every_service = pytest.mark.parametrize("name", SERVICES)
ours = pytest.mark.parametrize("name", compose.OURS)


def test_file_is_what_compose_reads() -> None:
    program = str(Path(sys.executable).with_name("check-jsonschema"))
    command = [program, "--builtin-schema", "vendor.compose-spec", str(compose.FILE)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_services_are_the_processes_of_a_deployment() -> None:
    assert set(SERVICES) == {"postgres", "redis", "migrate", *programs.SERVERS}
    for name in compose.OURS:
        assert SERVICES[name]["command"] == ["python", "-m", "ettdash.programs", name]


def test_required_variables_stand_in_the_sample_and_all_are_described() -> None:
    asked_for = compose.variables()
    assert {name for name, default in asked_for.items() if default is None} <= set(compose.sample())
    pages = [(PROJECT / "docs" / name).read_text() for name in ("configuration.md", "operations.md")]
    assert {name for name in asked_for if f"`{name}`" not in "".join(pages)} == set()


def test_missing_secret_stops_compose_with_a_hint() -> None:
    for name in ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "ETTDASH_SECRET_KEY", "ETTDASH_HOSTS"):
        with pytest.raises(KeyError, match=f"{name}: set it in .env"):
            compose.services(compose.filled() | {name: ""})


def test_every_setting_can_be_made_in_the_env_file() -> None:
    page, _, _ = (PROJECT / "docs" / "configuration.md").read_text().partition("## Tests")
    settings = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    passed_on = {variable for name in compose.OURS for variable in SERVICES[name]["environment"]}
    assert settings - passed_on == NOT_PASSED_ON


@every_service
def test_service_is_watched_restarted_and_has_few_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")
    assert ("healthcheck" in service) == (name != "migrate")
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert str(service["user"]).split(":")[0] not in ("", "0", "root")
    assert service["logging"]["options"]["max-size"]


@every_service
def test_several_of_a_service_can_run(name: str) -> None:
    assert "container_name" not in SERVICES[name]
    assert "hostname" not in SERVICES[name]
    assert ("ports" in SERVICES[name]) == (name == "web")


def test_published_ports_are_a_range_on_loopback() -> None:
    ((address, ports, inside),) = [port.split(":") for port in SERVICES["web"]["ports"]]
    first, last = map(int, ports.split("-"))
    assert (address, inside) == ("127.0.0.1", "8000")
    assert last > first


def test_servers_wait_for_the_migration_which_waits_for_the_database() -> None:
    for name in SERVERS:
        condition = SERVICES[name]["depends_on"]["migrate"]["condition"]
        assert condition == "service_completed_successfully"
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}


@ours
def test_our_containers_write_nowhere_but_in_memory(name: str) -> None:
    assert SERVICES[name]["read_only"] is True
    assert SERVICES[name]["tmpfs"][0].startswith("/tmp:")
    assert "volumes" not in SERVICES[name]


def test_no_secret_stands_in_the_file_and_only_the_migration_gets_the_admins() -> None:
    text = compose.FILE.read_text()
    assert re.findall(r"(?:PASSWORD|SECRET_KEY): (?!\$\{)", text) == []
    holders = {name for name in SERVICES if "ETTDASH_ADMIN_PASSWORD" in SERVICES[name]["environment"]}
    assert holders == {"migrate"}


def test_data_lie_in_named_volumes() -> None:
    assert SERVICES["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]
    assert SERVICES["redis"]["volumes"] == ["redis:/data"]
    assert "noeviction" in SERVICES["redis"]["command"][-1]
