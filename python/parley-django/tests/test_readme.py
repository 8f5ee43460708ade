"""The code of the README and of docs/events.md, in a site that ``django-admin startproject`` makes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User

from event_server import KEY, EventServer, stored_message
from new_site import blocks_of, new_site
from parley_django import webhook_view
from parley_django.testing import fake_parley
from shop.models import Handled, Room
from site_process import TESTS

BLOCKS = blocks_of(TESTS.parent / "README.md")
EVENTS = blocks_of(TESTS.parents[2] / "docs" / "events.md")
PATHS = [str(TESTS.parent / "src"), str(TESTS.parents[1] / "parley-client" / "src")]


@pytest.mark.parametrize(
    ("settings", "handlers"), [(BLOCKS[0], BLOCKS[1]), (EVENTS[1], EVENTS[0])], ids=["README", "events.md"]
)
def test_the_first_lines_work_in_a_new_site(tmp_path: Path, settings: str, handlers: str) -> None:
    with EventServer() as server:
        manage = new_site(tmp_path, settings, handlers, url=server.url, key=KEY, paths=PATHS)
        server.add(stored_message(1, "Hello"))
        assert manage("parley_events", "--once").splitlines()[-1] == "ann Hello"


def test_the_document_about_events_begins_with_five_lines() -> None:
    assert len([line for line in EVENTS[0].splitlines() if line]) == 5
    assert len(EVENTS[1].splitlines()) == 2


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
