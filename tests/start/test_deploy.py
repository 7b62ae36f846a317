"""Settings, files and commands in deploy/ and the docs exist; all files use the same port."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands
from redis import Redis
from redis.exceptions import AuthenticationError

from forum.operations.supervision.bootstrap import BASE
from tests.start.reading import read_by_the_site
from tests.start.site import SAFE, manage
from tests.waiting import until
from voting import keys
from voting.embedded.engine import binary

DEPLOY = BASE / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
EVERY_UNIT = {file.name: file.read_text() for file in sorted((DEPLOY / "systemd").iterdir())}
UNITS = {name: text for name, text in EVERY_UNIT.items() if name.endswith(".service")}
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
NGINX = (DEPLOY / "nginx" / "rostra.conf").read_text()
EXAMPLE = (DEPLOY / "rostra.env.example").read_text()
DOCS = {page.name: page.read_text() for page in sorted((BASE / "docs").glob("*.md"))}
OPERATIONS, PRODUCTION = DOCS["operations.md"], DOCS["production.md"]

TOOLS = {"POSTGRES_PASSWORD", "VALKEY_PASSWORD"}
"""Settings in deploy/ that only the containers of PostgreSQL and Valkey read."""
OURS = ("setup", "web", "worker")


def settings_of(example: str) -> dict[str, str]:
    """Return the settings in an environment file as a dict from name to value."""
    lines = [line for line in example.splitlines() if line and not line.startswith("#")]
    words = [shlex.split(line) for line in lines]
    assert all(len(word) == 1 for word in words), "a value with a space has quotes"
    return dict(word[0].split("=", 1) for word in words)


def named() -> set[str]:
    """Return the names of all settings in deploy/."""
    names = set(re.findall(r"^#?([A-Z][A-Z_]+)=", EXAMPLE, re.MULTILINE))
    names |= COMPOSE["x-rostra"]["environment"].keys()
    return names | set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text()))


def hardening(unit: str) -> set[str]:
    """Return the lines of a systemd unit that restrict its processes."""
    doors = "NoNew|Capability|Private|Protect|Restrict[AFNRS]|RemoveIPC|Lock|SystemCall|UMask"
    doors += "|StateDirectory|User="
    return set(re.findall(rf"^(?:{doors}).*$", unit, re.MULTILINE))


def test_deploy_names_only_settings_that_exist() -> None:
    assert named() - TOOLS <= read_by_the_site()
    assert {"SECRET_KEY", "SITE_URL", "EMAIL_URL", "METRICS_TOKEN"} <= named()


def test_environment_file_with_a_secret_key_is_a_safe_site(tmp_path: Path) -> None:
    given = settings_of(EXAMPLE)
    assert [name for name, value in given.items() if not value] == ["SECRET_KEY"]
    given |= {"SECRET_KEY": SAFE["SECRET_KEY"], "FORUM_DATA": str(tmp_path)}
    run = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **given)
    assert run.returncode == 0, run.stderr
    assert "1 issue (2 silenced)" in run.stderr, "that production needs a proxy"


def test_every_named_command_exists() -> None:
    files = [DOCKERFILE, (DEPLOY / "compose.yaml").read_text(), *UNITS.values()]
    text = "\n".join([*DOCS.values(), *files])
    commands = set(re.findall(r"(?:python3? |`)manage\.py ([a-z_]+)", text))
    commands |= set(re.findall(r"(?:^ *|`|&& )rostra(?:_new)? ([a-z_]+)", text, re.MULTILINE))
    assert {"up", "worker", "migrate", "collectstatic", "backup", "restore"} <= commands
    assert commands <= get_commands().keys()


@pytest.mark.parametrize("page", DOCS)
def test_every_file_of_deploy_that_a_page_names_exists(page: str) -> None:
    for path in re.findall(r"\bdeploy/[\w./*-]*\w", DOCS[page]):
        assert list(BASE.glob(path)), f"{page} names {path}"


def test_every_file_of_deploy_for_one_machine_is_installed_by_the_production_page() -> None:
    containers = {"Dockerfile", "Dockerfile.dockerignore", "compose.yaml"}
    others = {"rostra.service", "rules_test.yml"}
    files = {file.name for file in DEPLOY.rglob("*") if file.is_file()}
    unnamed = {
        name
        for name in files - containers - others
        if not re.search(rf"deploy/[\w/]*{re.escape(name)} ", PRODUCTION)
    }
    assert unnamed <= {"rostra.env"}, "a private file that git ignores"


def test_units_and_the_rostra_command_run_the_code_that_the_production_page_installs() -> None:
    assert "git clone <where your copy is> /opt/rostra\n" in PRODUCTION
    assert "chown" not in PRODUCTION, "the code belongs to root"
    command = (DEPLOY / "rostra").read_text()
    assert "\ncd /opt/rostra\n" in command
    assert "\n. /etc/rostra.env\n" in command
    assert "exec runuser -u rostra -- .venv/bin/python manage.py " in command
    assert (DEPLOY / "rostra").stat().st_mode & 0o111, "it can be executed"


def test_docs_do_not_need_sudo() -> None:
    assert not [name for name, text in DOCS.items() if "sudo" in text]


def test_alarm_rules_name_the_key_of_the_ledger() -> None:
    rules = (DEPLOY / "prometheus" / "rules.yml").read_text()
    assert f"`XRANGE {keys.ledger(5)} (17-0 + COUNT 1`" in rules


def test_all_files_use_the_same_port_and_directories() -> None:
    port, place = "8000", settings_of(EXAMPLE)["FORUM_DATA"]
    assert f"EXPOSE {port}\n" in DOCKERFILE
    assert f'"0.0.0.0:{port}"' in DOCKERFILE
    assert f"localhost:{port}/healthz" in DOCKERFILE
    assert COMPOSE["services"]["web"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f"server 127.0.0.1:{port};" in NGINX
    assert f"--bind 127.0.0.1:{port}\n" in UNITS["rostra-web.service"]
    assert f"ENV FORUM_DATA={place}\n" in DOCKERFILE
    assert COMPOSE["x-rostra"]["environment"]["FORUM_DATA"] == place
    assert COMPOSE["x-rostra"]["volumes"] == [f"data:{place}"]
    assert f"alias {place}/static/;" in NGINX
    assert all(f"StateDirectory={Path(place).name}\n" in unit for unit in UNITS.values())


def test_image_has_the_whole_site_and_the_tools_of_its_database() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert {name.removeprefix("!") for name in ignored if name.startswith("!")} == names
    assert all((BASE / name).exists() for name in names)
    assert {"manage.py", "forum", "voting", "templates", "static", "locale"} <= names
    major = COMPOSE["services"]["postgres"]["image"].removeprefix("postgres:")
    assert f"postgresql-client-{major} " in DOCKERFILE
    assert "\nUSER rostra\n" in DOCKERFILE


def test_compose_file_has_all_services_and_keeps_their_data() -> None:
    services = COMPOSE["services"]
    assert set(services) == {*OURS, "postgres", "valkey"}
    assert [name for name, service in services.items() if "build" in service] == ["setup"]
    assert "python manage.py worker" in services["worker"]["command"]
    assert all(service["read_only"] for service in services.values())
    assert all(service["security_opt"] for service in services.values())
    assert all(re.fullmatch(r"\d+m", service["mem_limit"]) for service in services.values())
    kept = {each.split(":")[0] for service in services.values() for each in service["volumes"]}
    assert kept == COMPOSE["volumes"].keys()


def test_memory_limits_of_running_containers_leave_a_quarter_of_the_machine_free() -> None:
    running = [one for name, one in COMPOSE["services"].items() if name != "setup"]
    total = sum(int(service["mem_limit"].removesuffix("m")) for service in running)
    (machine,) = re.findall(r"suit a machine with (\d+) GB", (DEPLOY / "compose.yaml").read_text())
    assert total <= int(machine) * 1_024 * 3 / 4


def test_valkey_in_a_container_needs_a_password_and_is_full_before_it_is_killed(
    tmp_path: Path,
) -> None:
    valkey, sites = COMPOSE["services"]["valkey"], COMPOSE["x-rostra"]["environment"]
    password = "${VALKEY_PASSWORD:?give Valkey a password}"
    for name in ("REDIS_URL", "CACHE_URL"):
        assert sites[name].startswith(f"redis://:{password}@valkey:6379/")
    (most,) = re.findall(r"--maxmemory (\d+)mb", valkey["command"])
    assert int(most) < int(valkey["mem_limit"].removesuffix("m"))
    given = shlex.split(valkey["command"].replace(password, "a-secret"))
    socket = tmp_path / "valkey.sock"
    more = ["--port", "0", "--unixsocket", str(socket), "--dir", str(tmp_path)]
    server = subprocess.Popen([str(binary()), *given[1:], *more], stdout=subprocess.DEVNULL)
    try:
        until(socket.exists, "Valkey listens")
        with Redis(unix_socket_path=str(socket)) as one, pytest.raises(AuthenticationError):
            one.ping()
        with Redis(unix_socket_path=str(socket), password="a-secret") as ours:
            assert ours.config_get("maxmemory*")["maxmemory-policy"] == "noeviction"
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_secrets_in_deploy_stay_out_of_git() -> None:
    ignored = (BASE / ".gitignore").read_text().split()
    assert f"/deploy/{COMPOSE['x-rostra']['env_file']}" in ignored
    assert "/deploy/.env" in ignored


def test_units_have_the_same_restrictions_and_directories() -> None:
    shut = [hardening(unit) for unit in UNITS.values()]
    assert len(shut) == 4
    assert len(shut[0]) > 22
    assert all(one == shut[0] for one in shut)
    for unit in UNITS.values():
        assert "\nWorkingDirectory=/opt/rostra\n" in unit
        assert "ReadWritePaths" not in unit, "the site can't change its code"
        assert "\nEnvironmentFile=/etc/rostra.env\n" in unit
        commands = re.findall(r"^Exec\w+=(\S+)", unit, re.MULTILINE)
        assert set(commands) <= {"/opt/rostra/.venv/bin/python", "/bin/kill"}


def test_metrics_of_web_processes_are_in_memory() -> None:
    for unit, text in UNITS.items():
        serves = re.search(r"^ExecStart=.*(manage.py up|gunicorn)", text, re.MULTILINE)
        own = f"\nRuntimeDirectory={unit.removesuffix('.service')}\nRuntimeDirectoryMode=0700\n"
        assert (own in text) == bool(serves), "one folder each: it goes when its unit stops"
    (memory,) = re.findall(r"^ENV RUNTIME_DIRECTORY=(.+)$", DOCKERFILE, re.MULTILINE)
    assert COMPOSE["x-rostra"]["tmpfs"] == [memory]


def test_nightly_backup_is_tried_and_old_ones_are_removed() -> None:
    timer, service = EVERY_UNIT["rostra-backup.timer"], UNITS["rostra-backup.service"]
    assert re.search(r"^OnCalendar=\*-\*-\* \d\d:", timer, re.MULTILINE), "each day"
    assert "\nWantedBy=timers.target\n" in timer
    assert "[Install]" not in service, "the timer alone starts it"
    assert "\nType=oneshot\n" in service
    (command,) = re.findall(r"manage.py (backup .+)$", service, re.MULTILINE)
    assert command == "backup --try --keep 7"
    assert f"\n    rostra {command}" in OPERATIONS
    for name in ("rostra-backup.service", "rostra-backup.timer"):
        assert name in PRODUCTION


@pytest.mark.parametrize("unit", EVERY_UNIT)
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")
def test_systemd_accepts_the_units(tmp_path: Path, unit: str) -> None:
    """The unit files contain a path of Python that doesn't exist here, so the test replaces it."""
    for name, text in EVERY_UNIT.items():
        here = text.replace("/opt/rostra/.venv/bin/python", "/usr/bin/env")
        (tmp_path / name).write_text(here)
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / unit)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert unit not in run.stdout + run.stderr


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")
def test_systemd_rates_the_exposure_of_each_unit_below_two(unit: str) -> None:
    file = str(DEPLOY / "systemd" / unit)
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", file]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Overall exposure level for \S+: (\S+)", run.stdout)
    assert found, run.stderr
    assert float(found[1]) < 2
