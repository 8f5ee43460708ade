"""Processes of the tests' site, as an operator runs them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent
_PATHS = [TESTS.parent / "src", TESTS, TESTS.parents[1] / "parley-client" / "src"]


class Site:
    """A site whose database is a file in ``folder``.

    ``settings`` are environment variables of its processes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings: dict[str, str] = {}
        self._processes: list[subprocess.Popen[str]] = []
        self._outputs = 0

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        own = {
            "SHOP_DATABASE": str(self.folder / "site.db"),
            "SHOP_REPAIRED": str(self.folder / "repaired"),
            "PYTHONPATH": os.pathsep.join(str(path) for path in _PATHS),
            "PYTHONUNBUFFERED": "1",
        }
        self._outputs += 1
        with open(self.folder / f"output{self._outputs}", "w") as output:
            process = subprocess.Popen(
                [sys.executable, str(TESTS / "manage.py"), *arguments],
                env=dict(os.environ) | own | self.settings | settings,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._processes.append(process)
        return process

    def run(self, *arguments: str, status: int = 0, **settings: str) -> str:
        """Runs a command to its end, and returns its output. ``status`` is the one that is expected."""
        process = self.start(*arguments, **settings)
        path = self.folder / f"output{self._outputs}"
        found = process.wait(120)
        assert found == status, f"{found}: {path.read_text()}"
        return path.read_text()

    def output(self) -> str:
        """The output of all processes so far."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("output*")))

    def end(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
                process.wait(10)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / "site.db", timeout=30)) as database:
            return database.execute(query).fetchall()

    def change(self, statement: str) -> None:
        with closing(sqlite3.connect(self.folder / "site.db", timeout=30)) as database:
            database.execute(statement)
            database.commit()

    def expire(self) -> None:
        """Ends the lease of a process that was killed."""
        self.change("UPDATE parley_django_eventcursor SET held_until = '2000-01-01 00:00:00'")

    @property
    def handled(self) -> list[str]:
        """The IDs of the events that the handlers got, in order."""
        return [str(row[0]) for row in self.rows("SELECT event FROM shop_handled ORDER BY id")]

    @property
    def totals(self) -> dict[str, int]:
        return dict(self.rows("SELECT thread, count FROM shop_total"))

    @property
    def problem(self) -> str:
        return "".join(str(row[0]) for row in self.rows("SELECT problem FROM parley_django_eventcursor"))

    def until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, f"{what} does not happen; the output:\n{self.output()}"
            time.sleep(0.02)
