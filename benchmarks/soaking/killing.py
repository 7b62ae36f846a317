"""Kills processes of a running site at random. `manage.py up` restarts the processes.

Linux only, because the code reads /proc.
"""

import os
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event

from redis import Redis
from redis.exceptions import RedisError

PARTS = ("Redis", "the worker", "the web server", "a web process")


class Killer:
    """Kills processes of the site whose data folder is `data`."""

    def __init__(self, data: Path, redis_url: str, *, embedded: bool) -> None:
        self._data = os.fsencode(data)
        self._redis_url = redis_url
        self._parts = [name for name in PARTS if embedded or name != "Redis"]
        self.killed: Counter[str] = Counter()

    def work(self, ended: Event, pause: float) -> None:
        """Kill a process of the site every `pause` seconds on average, until `ended` is set.

        Each round kills Redis, the worker, gunicorn and one of gunicorn's workers, in random order.
        Redis is killed only if it is embedded.
        """
        chance = Random()
        turns: list[str] = []
        while not ended.wait(chance.uniform(0.5, 1.5) * pause):
            turns = turns or chance.sample(self._parts, len(self._parts))
            part = turns.pop()
            pid = self._find(part, chance)
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed[part] += 1

    def _find(self, part: str, chance: Random) -> int | None:
        """Return the pid of one of `PARTS`, such as the worker, or None if it isn't running."""
        if part == "Redis":
            return self._redis()
        ours = self._started()
        if part == "the worker":
            return next((pid for pid, args in ours.items() if args.endswith(b"worker\0")), None)
        web = {pid: _parent(pid) for pid, args in ours.items() if b"gunicorn" in args}
        masters = [pid for pid, parent in web.items() if parent not in web]
        found = masters if part == "the web server" else sorted(web.keys() - masters)
        return chance.choice(found) if found else None

    def _redis(self) -> int | None:
        try:
            with Redis.from_url(self._redis_url, socket_timeout=1) as redis:
                return int(redis.info("server")["process_id"])
        except RedisError:
            return None

    def _started(self) -> dict[int, bytes]:
        """Return the command lines of the site's processes, by process id."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    given = (entry / "environ").read_bytes().split(b"\0")
                    led = any(one.startswith(b"FORUM_UP_PID=") for one in given)
                    if led and b"FORUM_DATA=" + self._data in given:
                        found[int(entry.name)] = (entry / "cmdline").read_bytes()
        return found


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0
