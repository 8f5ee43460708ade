"""The follower as a value: the lease, the place in the middle of a batch, and random errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction

from parley_client import AuditEvent, EventBatch, LogEvent, Message, StoredEvent, UnseenMessage
from parley_django import clients, conf, handlers, on_event
from parley_django.follower import Follower
from parley_django.following import Stopped, Taken
from parley_django.models import EventCursor
from parley_django.testing import make, stored
from shop.models import Handled

pytestmark = pytest.mark.usefixtures("database")


def messages(*seqs: int) -> tuple[StoredEvent, ...]:
    return tuple(stored(make(Message, seq=seq, thread_id="a", epoch="e", text=f"{seq}")) for seq in seqs)


class Stream:
    """A client whose stream is a list of events, in parts of ``part``; ``places`` are those it was asked for."""

    def __init__(self, events: tuple[StoredEvent, ...], part: int, *, before: list[EventBatch] | None = None) -> None:
        self.events, self.part, self.before = events, part, before or []
        self.places: list[str] = []
        self.options: dict[str, Any] = {}

    def all_events(self, *, after: str, **options: Any) -> Iterator[EventBatch]:
        self.places.append(after)
        self.options = options
        yield from self.before
        index = 0 if after in ("start", "end") else int(after)
        while True:
            part = self.events[index : index + self.part]
            index += len(part)
            yield EventBatch(part, f"{index}", index == len(self.events))
            if index == len(self.events):
                return


@pytest.fixture
def consumer() -> Iterator[str]:
    """A consumer with one handler, which records what it gets."""

    @on_event(LogEvent, consumer="tested")
    def record(event: LogEvent, id: str) -> None:
        Handled.objects.create(event=id, text="")

    yield "tested"
    handlers._handlers.pop("tested")


def follower(stream: Stream, *, size: int = 1, after: str = "start", **options: Any) -> Follower:
    clients.replace(stream)  # type: ignore[arg-type]
    settings = conf.Settings("http://test", "k", None, None, events_per_transaction=size, lease_seconds=30)
    return Follower("tested", settings, after=after, once=True, sleep=lambda _: None, **options)


@pytest.fixture(autouse=True)
def _client() -> Iterator[None]:
    yield
    clients.replace(None)


def handled() -> list[str]:
    return list(Handled.objects.order_by("pk").values_list("event", flat=True))


def row() -> EventCursor:
    return EventCursor.objects.get(name="tested")


def test_a_transaction_of_a_process_that_was_replaced_changes_nothing(consumer: str) -> None:
    stream = Stream(messages(1, 2), 2)
    old, new = follower(stream), follower(stream, waits=False)
    old._acquire()
    with pytest.raises(Taken):
        new.run()
    EventCursor.objects.update(held_until="2000-01-01T00:00:00Z")
    new._acquire()
    with pytest.raises(Taken):
        old._commit(EventBatch(stream.events, "2", True), stream.events, 2)
    with pytest.raises(Taken):
        old._renew()
    old._release()
    assert (handled(), row().cursor, row().holder) == ([], "", new.holder)
    new.run()
    assert (handled(), row().cursor, row().holder) == (["a:e:1", "a:e:2"], "2", "")


def test_the_events_of_a_batch_that_are_done_are_not_handled_again(consumer: str) -> None:
    EventCursor.objects.create(name="tested", cursor="", done=["a:e:2", "a:e:1"])
    # Batches without events come first, with the place that was asked for.
    idle = [EventBatch((), "start", False)] * 2
    stream = Stream(messages(1, 2, 3), 3, before=idle)
    follower(stream).run()
    assert (stream.places, handled(), row().cursor, row().done) == (["start"], ["a:e:3"], "3", [])


def test_the_batches_of_the_next_connection_may_be_shorter(consumer: str) -> None:
    EventCursor.objects.create(name="tested", cursor="start", done=["a:e:1", "a:e:2", "a:e:3"])
    follower(Stream(messages(1, 2, 3, 4), 1)).run()
    assert (handled(), row().cursor, row().done) == (["a:e:4"], "4", [])


def test_a_batch_at_the_end_is_one_transaction(consumer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parley_django.following.TRANSACTION", 0.0)
    attempts: list[str] = []
    places: set[tuple[str, int]] = set()

    @on_event(LogEvent, consumer=consumer)
    def fail_twice(event: LogEvent, id: str) -> None:
        attempts.append(id[-1])
        places.add((row().cursor, len(row().done)))
        if id == "a:e:2" and attempts.count("2") < 3:
            raise ValueError

    follower(Stream(messages(1, 2, 3), 3), after="end").run()
    assert ("".join(attempts), handled(), row().cursor) == ("1212123", ["a:e:1", "a:e:2", "a:e:3"], "3")
    assert places == {("", 0)}, "a place between the events of the batch was stored, which `end` does not have"


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, [0, 1, 2]), (60.0, [0, 0, 2])])
def test_a_transaction_ends_after_its_time_and_its_number(
    consumer: str, monkeypatch: pytest.MonkeyPatch, seconds: float, expected: list[int]
) -> None:
    monkeypatch.setattr("parley_django.following.TRANSACTION", seconds)
    done: list[int] = []

    @on_event(LogEvent, consumer=consumer)
    def look(event: LogEvent, id: str) -> None:
        done.append(len(row().done))

    follower(Stream(messages(1, 2, 3), 3), size=2).run()
    assert (done, handled()) == (expected, ["a:e:1", "a:e:2", "a:e:3"])


def test_an_event_that_fails_among_others_is_repeated_alone(consumer: str) -> None:
    attempts: list[str] = []

    @on_event(LogEvent, consumer=consumer)
    def fail(event: LogEvent, id: str) -> None:
        attempts.append(id[-1])
        if id == "a:e:3" and attempts.count("3") < 4:
            raise ValueError

    follower(Stream(messages(1, 2, 3, 4), 4), size=4).run()
    assert "".join(attempts) == "12312333" + "4"
    assert handled() == [f"a:e:{seq}" for seq in range(1, 5)]


def test_a_stop_ends_a_wait_and_no_transaction(consumer: str) -> None:
    stopping: list[Follower] = []

    @on_event(LogEvent, consumer=consumer)
    def stop(event: LogEvent, id: str) -> None:
        stopping[0].stop()

    stopping.append(follower(Stream(messages(1, 2, 3), 3)))
    stopping[0].run()
    assert (handled(), row().done, row().holder) == (["a:e:1"], ["a:e:1"], "")
    other = follower(Stream(messages(1), 1))
    other._is_waiting = True
    with pytest.raises(Stopped):
        other.stop()


def test_cursors_that_pass_nothing_are_stored_at_the_end(consumer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream((), 1, before=[EventBatch((), f"c{number}", False) for number in range(100)])
    writes: list[str] = []
    tested = follower(stream)
    store = tested._store

    def counted(cursor: str, done: list[str]) -> None:
        writes.append(cursor)
        store(cursor, done)

    monkeypatch.setattr(tested, "_store", counted)
    tested.run()
    assert row().cursor == "0" and writes[0] == "c0"
    assert len(writes) < 10
    assert stream.options["idle"] <= 15, "the lease is renewed while nothing happens"


@pytest.mark.parametrize("seed", range(40))
def test_random_errors_lose_and_double_nothing(consumer: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)

    def maybe(error: Callable[[], Any]) -> None:
        if random.random() < 0.15:
            error()

    def fail() -> None:
        raise RuntimeError("a handler or a function after the commit fails")

    def stop() -> None:
        current[0]._is_stopping = True

    @on_event(LogEvent, consumer=consumer)
    def disturb(event: LogEvent, id: str) -> None:
        maybe(fail)
        maybe(stop)
        if random.random() < 0.15:
            transaction.on_commit(fail)

    count = random.randint(1, 30)
    events = messages(*range(1, count + 1))
    current: list[Follower] = []
    for _ in range(500):
        # Each process reads parts of another size, and has transactions of another size.
        stream = Stream(events, random.randint(1, 8))
        current[:] = [follower(stream, size=random.randint(1, 5))]
        current[0].run()
        if row().cursor == f"{count}":
            break
    assert handled() == [stored.id for stored in events], f"seed {seed}"
    assert (row().done, row().holder) == ([], "")


def test_a_database_that_fails_is_tried_again(consumer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    tested = follower(Stream(messages(1, 2), 1))
    acquire, calls = tested._acquire, iter(range(10))

    def fails_twice() -> None:
        if next(calls) < 2:
            raise OperationalError("the connection was closed")
        acquire()

    monkeypatch.setattr(tested, "_acquire", fails_twice)
    tested.run()
    assert handled() == ["a:e:1", "a:e:2"]


def test_an_event_that_cannot_be_read_is_reported(consumer: str, caplog: pytest.LogCaptureFixture) -> None:
    from parley_client import UnknownEvent

    event = UnknownEvent("a", "e", 1, 1, "message", {})
    follower(Stream((StoredEvent("a:e:1", "message", event),), 1)).run()
    assert handled() == ["a:e:1"] and "cannot be read" in caplog.text


def test_functions_are_registered_once_and_for_classes_of_events() -> None:
    def handler(event: Any, id: str) -> None: ...

    async def asynchronous(event: Any, id: str) -> None: ...

    for wrong in (str, SimpleNamespace):
        with pytest.raises(TypeError, match=r"allowed are .*Message"):
            on_event(wrong)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="needs a class"):
        on_event()
    with pytest.raises(TypeError, match="async"):
        on_event(Message)(asynchronous)
    with pytest.raises(TypeError, match="1 to 100"):
        on_event(Message, consumer="x" * 101)
    try:
        for _ in range(2):
            on_event(Message, consumer="registered")(handler)
        assert len(list(handlers.handlers_of("registered"))) == 1
        assert handlers.kinds_of("registered") == ["message"]
        on_event(LogEvent, consumer="registered")(handler)
        assert handlers.kinds_of("registered") == []
        on_event(LogEvent, AuditEvent, consumer="registered")(handler)
        assert handlers.kinds_of("registered") == ["all"]
        on_event(AuditEvent, consumer="registered")(handler)
        assert handlers.kinds_of("registered") == ["audit"]
        on_event(AuditEvent, UnseenMessage, consumer="registered")(handler)
        assert handlers.kinds_of("registered") == ["audit", "unseen"]
    finally:
        handlers._handlers.pop("registered")
