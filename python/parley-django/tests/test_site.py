"""The setting and its checks, imports, the admin's page, and the helpers for tests of sites."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client, override_settings

from event_server import EventServer
from parley_client import Deleted, Joined, Message, ParleyError, UnknownEvent
from parley_django import as_user, client, conf, import_on_commit, member_record, room_record, user_record
from parley_django.models import EventCursor
from parley_django.testing import deliver, fake_parley, make, stored
from shop.models import Handled, Room, Total

GOOD: dict[str, Any] = {"URL": "http://127.0.0.1:8081", "API_KEY": "pk_x"}
ROOMS: dict[str, Any] = {"model": "shop.Room", "id": "name", "title": "title"}


def records() -> Iterator[dict[str, Any]]:
    yield room_record("news", "News")


not_callable = 7


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (None, ["E001"]),
        ([], ["E001"]),
        ({}, ["E003", "E004"]),
        (GOOD | {"URI": "x"}, ["E002"]),
        *((GOOD | {"URL": url}, ["E003"]) for url in ("127.0.0.1:8081", "ftp://x", "http://", "http://a@b", 7, "")),
        *((GOOD | {"URL": url}, ["E003"]) for url in ("http://x?y", "http://x#y", "http://x y", "http://x:99999")),
        *((GOOD | {"API_KEY": key}, ["E004"]) for key in ("", None, "pk_…", "a b", "a\n")),
        *((GOOD | {"EVENTS_PER_TRANSACTION": number}, ["E005"]) for number in (0, 201, "1", True, 1.0)),
        *((GOOD | {"LEASE_SECONDS": number}, ["E005"]) for number in (0, 3_601)),
        (GOOD | {"ROOMS": "shop.Room"}, ["E006"]),
        (GOOD | {"ROOMS": {"model": "shop.Room"}}, ["E006"]),
        (GOOD | {"ROOMS": ROOMS | {"name": "x"}}, ["E006"]),
        *((GOOD | {"ROOMS": ROOMS | {"model": model}}, ["E006"]) for model in ("shop.Rum", "Room", "x.Room")),
        (GOOD | {"ROOMS": ROOMS | {"id": "slug", "members": "users"}}, ["E006", "E006"]),
        (GOOD | {"ROOMS": ROOMS | {"members": "title"}}, ["E006"]),
        (GOOD | {"ROOMS": ROOMS | {"visibility": "secret"}}, ["E006"]),
        *((GOOD | {"RECORDS": path}, ["E007"]) for path in (7, "x", "test_site.none", "test_site.not_callable")),
        (GOOD | {"URL": "https://chat.example.org/parley/", "LEASE_SECONDS": 3_600}, []),
        (GOOD | {"ROOMS": ROOMS | {"members": "members", "visibility": "unlisted"}}, []),
        (GOOD | {"RECORDS": "test_site.records", "EVENTS_PER_TRANSACTION": 200}, []),
    ],
)
def test_checks_name_what_is_wrong_and_what_is_allowed(values: Any, expected: list[str]) -> None:
    with override_settings(PARLEY=values):
        found = [each for each in run_checks() if str(each.id).startswith("parley.")]
        assert [each.id for each in found] == [f"parley.{number}" for number in expected]
        assert all(each.hint and ("Allowed" in each.hint or "For example" in each.hint) for each in found)
        if expected:
            with pytest.raises(ImproperlyConfigured, match="PARLEY"):
                conf.load()
            with pytest.raises(ImproperlyConfigured):
                client()
            with pytest.raises(CommandError):
                call_command("parley_events", skip_checks=True)
        else:
            assert conf.load().url == values["URL"].rstrip("/")
            assert client() is client()


def test_a_check_shows_no_secret() -> None:
    with override_settings(PARLEY=GOOD | {"API_KEY": "the secret"}):
        assert "the secret" not in str(run_checks())


def test_migrations_are_complete() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def people() -> None:
    ann, bob = User.objects.create_user("ann"), User.objects.create_user("bob")
    User.objects.create_user("gone", is_active=False)
    team = Room.objects.create(name="chat_team", title="Team")
    team.members.set([ann, bob])
    Room.objects.create(name="empty", title="Empty")


@pytest.mark.usefixtures("database")
def test_users_rooms_and_members_are_imported_in_order() -> None:
    people()
    ann, bob = User.objects.get(username="ann"), User.objects.get(username="bob")
    expected = [
        {"user": {"id": str(ann.pk), "username": "ann"}},
        {"user": {"id": str(bob.pk), "username": "bob"}},
        {"thread": {"id": "chat_team", "title": "Team", "kind": "room", "visibility": "public"}},
        {"member": {"thread": "chat_team", "user": f"id:{ann.pk}"}},
        {"member": {"thread": "chat_team", "user": f"id:{bob.pk}"}},
        {"thread": {"id": "empty", "title": "Empty", "kind": "room", "visibility": "public"}},
    ]
    output = StringIO()
    call_command("parley_import", dry_run=True, stdout=output)
    assert [json.loads(line) for line in output.getvalue().splitlines()] == expected
    with EventServer() as server, override_settings(PARLEY=dict(GOOD, URL=server.url, API_KEY="pk_events-tests")):
        with override_settings(PARLEY=settings.PARLEY | {"ROOMS": ROOMS | {"members": "members"}}):
            output = StringIO()
            call_command("parley_import", stdout=output)
            assert output.getvalue() == "Imported 2 users, 2 rooms, 2 members; 0 existed.\n"
            output = StringIO()
            call_command("parley_import", stdout=output)
            assert output.getvalue() == "Imported 0 users, 0 rooms, 0 members; 6 existed.\n"
        User.objects.create_user("taken")
        errors = StringIO()
        with pytest.raises(CommandError, match="refused 1 records"):
            call_command("parley_import", stdout=output, stderr=errors)
        assert "conflict: the name taken is taken" in errors.getvalue() and '"username": "taken"' in errors.getvalue()
        server.refuse(403, "forbidden")
        with pytest.raises(CommandError, match="forbidden"):
            call_command("parley_import", stdout=output)


@pytest.mark.usefixtures("database")
def test_further_records_come_from_the_site() -> None:
    with override_settings(PARLEY=GOOD | {"RECORDS": "test_site.records"}):
        output = StringIO()
        call_command("parley_import", dry_run=True, stdout=output)
    assert json.loads(output.getvalue()) == {"thread": {"id": "news", "title": "News", "kind": "room"}}


@pytest.mark.usefixtures("database")
def test_changes_are_imported_once_they_are_committed(caplog: pytest.LogCaptureFixture) -> None:
    with fake_parley() as parley:
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            import_on_commit(user_record(User.objects.create_user("never")))
            _ = 1 / 0
        assert parley.records == []
        with transaction.atomic():
            user = User.objects.create_user("ann")
            import_on_commit(user_record(user), room_record("r", "R"), member_record("r", user, role="owner"))
            assert parley.records == []
        assert parley.records[2] == {"member": {"thread": "r", "user": f"id:{user.pk}", "role": "owner"}}
    with EventServer() as server, override_settings(PARLEY=dict(GOOD, URL=server.url, API_KEY="pk_events-tests")):
        import_on_commit(user_record(User(pk=7, username="taken")))
        assert "'username': 'taken'" in caplog.text and "is taken" in caplog.text
        server.refuse(403, "forbidden")
        import_on_commit(user_record(user))
        assert "has not imported 1 records" in caplog.text


@pytest.mark.usefixtures("database")
def test_handlers_are_tested_without_a_server() -> None:
    message = make(Message, text="Hello", thread_id="chat_team")
    names = [f"shop.parley_handlers.{name}" for name in ("count", "record", "end")]
    assert deliver(message, make(Joined)) == names
    assert Total.objects.get(thread="chat_team").count == 1
    with pytest.raises(TypeError, match=r"Message has no txt; allowed are .*text"):
        make(Message, txt="Hello")
    assert make(Message).seq < make(Message).seq
    assert stored(make(UnknownEvent, type="pinned")).type == "pinned"


@pytest.mark.usefixtures("database")
def test_the_command_is_tested_without_a_server() -> None:
    output = StringIO()
    with fake_parley(make(Message, text="one"), make(Joined), make(Deleted)) as parley:
        for _ in range(2):
            call_command("parley_events", once=True, stdout=output)
        assert list(Handled.objects.values_list("text", flat=True)) == ["one", "deleted"]
        parley.add(make(Message, text="two"))
        call_command("parley_events", once=True, stdout=output)
        assert Handled.objects.count() == 3
        with pytest.raises(RuntimeError, match="once=True"):
            call_command("parley_events", stdout=output)
        with pytest.raises(ParleyError, match="only events and imports"):
            as_user(User(pk=7)).ticket()
    assert EventCursor.objects.get().cursor == "fake.4"


@pytest.mark.usefixtures("database")
def test_the_admin_shows_cursors_and_changes_none() -> None:
    EventCursor.objects.create(name="default", cursor="c", problem="a:e:1: ValueError()")
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    assert "a:e:1: ValueError()" in browser.get("/admin/parley_django/eventcursor/").content.decode()
    assert browser.get("/admin/parley_django/eventcursor/default/change/").status_code == 200
    assert browser.post("/admin/parley_django/eventcursor/default/change/", {"cursor": "d"}).status_code == 403
    assert browser.get("/admin/parley_django/eventcursor/add/").status_code == 403
