"""``manage.py parley_events --group``: the place is on the server, and each event is handled at least once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, transaction

from event_server import EventServer
from parley_client import EventBatch, LogEvent, Message, ParleyError, StoredEvent, worker_name
from parley_django import clients, conf, on_event
from parley_django import handlers as registry
from parley_django.following import Taken
from parley_django.group_follower import GroupFollower
from parley_django.models import EventCursor
from parley_django.testing import fake_parley, make, stored
from shop.models import Handled
from site_process import Site


def messages(*seqs: int) -> tuple[StoredEvent, ...]:
    return tuple(stored(make(Message, seq=seq, thread_id="a", epoch="e", text=f"{seq}")) for seq in seqs)


def ids(*seqs: int) -> list[str]:
    return [f"a:e:{seq}" for seq in seqs]


class Server:
    """A client of a group in memory. ``reader`` is the worker that the server knows."""

    def __init__(self, *parts: tuple[StoredEvent, ...]) -> None:
        self.parts, self.place, self.reader = parts, 0, "w"
        self.acknowledged: list[str] = []
        self.checks = 0
        self.waits: list[ParleyError] = []
        self.options: dict[str, Any] = {}

    def all_events(self, **options: Any) -> Iterator[EventBatch]:
        self.options = options
        for error in self.waits:
            options["on_wait"](error, 1.0)
        while self.place < len(self.parts):
            number = self.place
            yield EventBatch(self.parts[number], f"c{number}", number + 1 == len(self.parts))
            self.acknowledge_events("crm", f"c{number}")

    def acknowledge_events(self, group: str, cursor: str, *, worker: str | None = None) -> None:
        self.acknowledged.append(cursor)
        self.place = int(cursor[1:]) + 1

    def event_groups(self) -> list[Any]:
        self.checks += 1
        return [SimpleNamespace(name="crm", worker=self.reader)]


@pytest.fixture
def record(database: None) -> Iterator[list[str]]:
    """The handlers of a consumer record what they get; here, in the order of the attempts."""
    attempts: list[str] = []

    @on_event(LogEvent, consumer="tested")
    def note(event: LogEvent, id: str) -> None:
        attempts.append(id[-1])
        Handled.objects.create(event=id, text="")

    yield attempts
    registry._handlers.pop("tested")
    clients.replace(None)


def follower(server: Server, *, size: int = 100, once: bool = True, waits: bool = True) -> GroupFollower:
    clients.replace(server)  # type: ignore[arg-type]
    settings = conf.Settings("http://test", "k", None, None, events_per_transaction=size, lease_seconds=30)
    return GroupFollower("crm", "tested", settings, worker="w", once=once, waits=waits, sleep=lambda _: None)


def handled() -> list[str]:
    return list(Handled.objects.order_by("pk").values_list("event", flat=True))


def refuse(server: Server, then: Callable[[], None] = lambda: None, *, times: int = 3) -> GroupFollower:
    """A follower whose handlers refuse the event 2 some times."""
    tested = follower(server)
    left = [times]

    @on_event(LogEvent, consumer="tested")
    def fail(event: LogEvent, id: str) -> None:
        if id == "a:e:2" and left[0]:
            left[0] -= 1
            then()
            raise ValueError("refused")

    return tested


def test_parts_are_handled_in_order_and_acknowledged(record: list[str]) -> None:
    server = Server(messages(1, 2), (), messages(3))
    follower(server).run()
    assert (handled(), server.acknowledged) == (ids(1, 2, 3), ["c0", "c1", "c2"])
    assert (server.options["group"], server.options["worker"], server.options["follow"]) == ("crm", "w", False)
    assert not EventCursor.objects.exists(), "the place is on the server"


def test_an_event_that_fails_is_repeated_alone_and_its_error_is_shown(record: list[str]) -> None:
    problems: list[str] = []
    tested = refuse(
        Server(messages(1, 2, 3)), lambda: problems.extend(EventCursor.objects.values_list("problem", flat=True))
    )
    tested.run()
    assert "".join(record) == "12" + "1" + "22" + "2" + "3"
    assert handled() == ids(1, 2, 3)
    assert problems == ["", "a:e:2: ValueError('refused')"], "1 has succeeded before the second attempt"
    row = EventCursor.objects.get(name="group:crm")
    assert (row.problem, row.holder) == ("", "w")


def test_an_event_is_skipped_if_an_operator_wants_it(record: list[str]) -> None:
    tested = refuse(Server(messages(1, 2, 3)), times=1_000)
    call_command("parley_events", group="crm", consumer="tested", skip="a:e:2", stdout=StringIO())
    tested.run()
    assert handled() == ids(1, 3)
    assert EventCursor.objects.get(name="group:crm").skipped == []


def test_what_follows_a_commit_may_fail_and_doubles_nothing(record: list[str]) -> None:
    @on_event(LogEvent, consumer="tested")
    def fail_later(event: LogEvent, id: str) -> None:
        transaction.on_commit(lambda: 1 / 0)

    follower(Server(messages(1, 2))).run()
    assert handled() == ids(1, 2)


def test_a_worker_that_was_replaced_leaves_its_part(record: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parley_django.group_follower._CHECK", 0.0)
    server = Server(messages(1, 2, 3), messages(4))
    follower(server, size=1).run()
    assert server.checks == 4 and handled() == ids(1, 2, 3, 4)

    def replace() -> None:
        server.reader, server.place = "other", 2

    server = Server(messages(1, 2, 3), messages(4))
    refuse(server, replace, times=1_000).run()
    assert handled()[4:] == [], "the part is left to the other worker, since its transaction has failed"
    assert server.acknowledged == []


def test_a_database_that_fails_is_tried_again(record: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(messages(1, 2))
    tested, calls = refuse(server, times=2), iter(range(10))
    unskipped = tested._unskipped

    def fails_once(left: list[StoredEvent], problem: str) -> list[StoredEvent]:
        if next(calls) == 0:
            raise OperationalError("the connection was closed")
        return unskipped(left, problem)

    monkeypatch.setattr(tested, "_unskipped", fails_once)
    tested.run()
    assert handled() == ids(1, 2)


@pytest.mark.parametrize(("grace", "expected"), [(60.0, [1, 2, 3]), (0.0, [1])])
def test_a_stop_ends_it_after_its_part_or_some_seconds(
    record: list[str], monkeypatch: pytest.MonkeyPatch, grace: float, expected: list[int]
) -> None:
    monkeypatch.setattr("parley_django.group_follower._GRACE", grace)
    server = Server(messages(1, 2, 3), messages(4))
    tested = follower(server, size=1, once=False)

    @on_event(LogEvent, consumer="tested")
    def stop(event: LogEvent, id: str) -> None:
        tested.stop()

    tested.run()
    assert (handled(), server.acknowledged) == (ids(*expected), ["c0"] if grace else [])


def test_turns_are_waited_for_or_end_it(record: list[str], caplog: pytest.LogCaptureFixture) -> None:
    server = Server(messages(1))
    server.waits = [ParleyError("conflict", "the worker b reads for the group crm")] * 3 + [ParleyError("unavailable")]
    follower(server).run()
    assert [each.getMessage().partition(";")[0] for each in caplog.records] == [
        "waits for the group crm (the worker b reads for the group crm)",
        "Parley cannot be followed (unavailable)",
    ]
    with pytest.raises(Taken, match="the worker b reads"):
        follower(server, waits=False).run()
    assert handled() == ids(1)


@pytest.mark.usefixtures("database")
def test_the_command_is_tested_without_a_server() -> None:
    output = StringIO()
    with fake_parley(make(Message, text="one")) as parley:
        for _ in range(2):
            call_command("parley_events", group="crm", once=True, stdout=output)
        parley.add(make(Message, text="two"))
        call_command("parley_events", group="crm", worker="w1", once=True, stdout=output)
        assert list(Handled.objects.values_list("text", flat=True)) == ["one", "two"]
        call_command("parley_events", group="crm", restart="start", once=True, stdout=output)
        assert Handled.objects.count() == 4
    first, *_, last = output.getvalue().splitlines()
    assert first.endswith(f"for the consumer default, as the worker {worker_name()} of the group crm.")
    assert parley.groups == {"crm": "fake.2"} and last == first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "a b"}, "--group is 'a b'. Allowed are 1 to 60 characters"),
        ({"group": ""}, "--group is ''"),
        ({"group": "x" * 61}, "--group is 'x"),
        ({"group": "crm", "worker": "w/1"}, "--worker is 'w/1'"),
        ({"worker": "w1"}, "--worker needs --group"),
    ],
)
def test_names_are_checked(options: dict[str, str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("parley_events", **options)


# Processes


def test_a_kill_between_commit_and_acknowledgement_repeats_a_part_and_loses_nothing(site: Site) -> None:
    with EventServer(part=5) as server:
        site.settings = {"SHOP_PARLEY": server.url, "SHOP_EVENTS": "2"}
        server.add_messages(12)
        command = ("parley_events", "--once", "--group", "crm", "--worker", "w1")
        site.run(*command, status=-signal.SIGKILL, SHOP_KILL="commit:7")
        assert site.handled == ids(*range(1, 8)) and server.groups["crm"].cursor == "m1.5"
        site.run(*command)
        assert site.handled == [*ids(*range(1, 8)), *ids(*range(6, 13))]
        assert server.groups["crm"].cursor == "m1.12"


def test_several_processes_read_one_after_the_other(site: Site) -> None:
    with EventServer() as server:
        site.settings = {"SHOP_PARLEY": server.url}
        command = ("parley_events", "--group", "crm")
        first = site.start(*command)
        server.add_messages(1)
        site.until(lambda: site.handled == ids(1), "the first event")
        site.until(lambda: server.groups["crm"].cursor == "m1.1", "its acknowledgement")
        assert "reads for the group" in site.run(*command, "--no-wait", status=1)
        second = site.start(*command)
        site.until(lambda: "waits for the group crm" in site.output(), "the wait of the second one")
        first.kill()
        server.add_messages(2)
        site.until(lambda: site.handled == ids(1, 2, 3), "the hand-over after a kill")
        site.start(*command)
        second.terminate()
        assert second.wait(20) == 0
        server.add_messages(1)
        site.until(lambda: site.handled == ids(1, 2, 3, 4), "the hand-over after SIGTERM")
        site.until(lambda: server.groups["crm"].cursor == "m1.4", "the last acknowledgement")


def test_a_restored_database_is_an_error_until_an_operator_decides(site: Site) -> None:
    with EventServer() as server:
        site.settings = {"SHOP_PARLEY": server.url}
        command = ("parley_events", "--once", "--group", "crm", "--worker", "w1")
        server.add_messages(4)
        site.run(*command)
        server.restore(2)
        assert "--restart start" in site.run(*command, status=1)
        site.run(*command, "--restart", "start")
    assert site.handled == ids(1, 2, 3, 4, 1, 2)
