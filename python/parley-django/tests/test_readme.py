"""The code of the README, in a site that ``django-admin startproject`` makes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User

from event_server import KEY, EventServer, stored_message
from parley_django import webhook_view
from parley_django.testing import fake_parley
from shop.models import Handled, Room
from site_process import TESTS

README = (TESTS.parent / "README.md").read_text()
BLOCKS = [block.split("\n```")[0] for block in README.split("```python\n")[1:]]


def test_the_first_lines_work_in_a_new_site(tmp_path: Path) -> None:
    paths = [str(TESTS.parent / "src"), str(TESTS.parents[1] / "parley-client" / "src")]
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(paths), "PARLEY_API_KEY": KEY}
    del environment["DJANGO_SETTINGS_MODULE"]

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("-m", "django", "startproject", "site_of_the_test", ".")
    run("manage.py", "startapp", "chat")
    settings = tmp_path / "site_of_the_test" / "settings.py"
    with EventServer() as server:
        assert "http://127.0.0.1:8080" in BLOCKS[0]
        code = BLOCKS[0].replace("http://127.0.0.1:8080", server.url) + '\nINSTALLED_APPS += ["chat"]\n'
        settings.write_text(settings.read_text() + code)
        (tmp_path / "chat" / "parley_handlers.py").write_text(BLOCKS[1])
        run("manage.py", "migrate", "--verbosity", "0")
        server.add(stored_message(1, "Hello"))
        assert run("manage.py", "parley_events", "--once").splitlines()[-1] == "ann Hello"


@pytest.mark.usefixtures("database")
def test_the_other_examples_work() -> None:
    webhook, setting, change, tests = BLOCKS[2:]
    names: dict[str, Any] = {"PARLEY": {}, "os": SimpleNamespace(environ={"PARLEY_WEBHOOK_SECRET": "whsec_"})}
    exec(webhook, names)
    assert names["PARLEY"]["WEBHOOK_SECRETS"] == ["whsec_"]
    assert names["urlpatterns"][0].callback is webhook_view
    exec(setting, names)
    assert names["PARLEY"]["ROOMS"]["model"] == "chat.Room"
    user, room = User.objects.create_user("ann"), Room.objects.create(name="chat_team", title="Team")
    with fake_parley() as parley:
        exec(change, {"room": room, "user": user})
    assert parley.records == [{"member": {"thread": "chat_team", "user": f"id:{user.pk}"}}]
    exec(tests, {})
    assert Handled.objects.count() == 2
