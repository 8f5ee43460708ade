"""Helpers for the tests of a site: events for its handlers, and a Parley without a server."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from django.db import router, transaction

from parley_client import EVENT_TYPES, EventBatch, ImportReport, LogEvent, ParleyError, StoredEvent, UnknownEvent
from parley_client.sync import Rest

from . import clients, handlers
from .following import handle
from .models import EventCursor

E = TypeVar("E", bound=LogEvent)

_seqs = itertools.count(1)
_VALUES: dict[str, Any] = {"str": "1", "int": 1, "bool": True}


def make(kind: type[E], **values: Any) -> E:
    """An event whose other fields have some value: ``make(Message, text="Hello", thread_id="chat_team")``.

    Each event has a ``seq`` of its own, and the present time.
    """
    known = {field.name: field for field in fields(kind)}
    unknown = values.keys() - known.keys()
    if unknown:
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}; allowed are {', '.join(known)}")
    seq = next(_seqs)
    defaults: dict[str, Any] = {"epoch": "test", "seq": seq, "date_ms": int(time.time() * 1000), "id": f"test-{seq}"}
    for name, field in known.items():
        if field.default is MISSING and field.default_factory is MISSING:
            defaults.setdefault(name, _VALUES.get(str(field.type), {}))
    return kind(**{name: value for name, value in defaults.items() if name in known} | values)


def stored(event: LogEvent, *, id: str | None = None) -> StoredEvent:
    """An event as the stream has it."""
    names = {kind: name for name, kind in EVENT_TYPES.items()}
    type = event.type if isinstance(event, UnknownEvent) else names[event.__class__]
    return StoredEvent(id or f"{event.thread_id}:{event.epoch}:{event.seq}", type, event)


def deliver(*events: LogEvent | StoredEvent, consumer: str = handlers.DEFAULT) -> list[str]:
    """Passes events to the handlers in one transaction, as ``parley_events`` does, without a cursor.

    An error of a handler is raised. Returns the names of the handlers that were called.
    """
    called: list[str] = []
    with transaction.atomic(using=router.db_for_write(EventCursor)):
        for event in events:
            called += handle(consumer, event if isinstance(event, StoredEvent) else stored(event))
    return called


class FakeParley(Rest):
    """A Parley in memory, for ``parley_events --once``, ``parley_import`` and ``import_on_commit``.

    Every other call fails as if the server could not be reached.
    """

    def __init__(self, *events: LogEvent | StoredEvent) -> None:
        def refuse() -> Any:
            raise ParleyError("disconnected", "FakeParley has only events and imports")

        super().__init__("http://fake.invalid", None)
        self._make = refuse
        self.log: list[StoredEvent] = []
        #: The records of all imports.
        self.records: list[dict[str, Any]] = []
        #: The places of groups, which are acknowledged.
        self.groups: dict[str, str] = {}
        self.add(*events)

    def add(self, *events: LogEvent | StoredEvent) -> None:
        self.log += [event if isinstance(event, StoredEvent) else stored(event) for event in events]

    def import_records(self, records: Iterable[dict[str, Any]]) -> ImportReport:
        counts = dict.fromkeys(("users", "threads", "members", "unchanged"), 0)
        for record in records:
            is_new = record not in self.records
            counts[f"{next(iter(record))}s" if is_new else "unchanged"] += 1
            self.records += [record] if is_new else []
        return ImportReport(counts["users"], counts["threads"], counts["members"], counts["unchanged"])

    def all_events(
        self,
        *,
        after: str = "start",
        follow: bool = False,
        kinds: Iterable[str] = (),
        thread: Any = None,
        user: str | None = None,
        group: str | None = None,
        worker: str | None = None,
        idle: float | None = None,
        on_wait: Callable[[ParleyError, float], None] | None = None,
    ) -> Generator[EventBatch, None, None]:
        if follow:
            raise RuntimeError("FakeParley does not follow: use call_command('parley_events', once=True)")
        after = self.groups.get(group, after) if group else after
        wanted = set(kinds)
        index = {"start": 0, "end": len(self.log)}.get(after)
        index = int(after.removeprefix("fake.")) if index is None else index
        chosen = [
            each
            for each in self.log[index:]
            if each.type in wanted or "all" in wanted or (not wanted and each.type not in ("audit", "unseen"))
        ]
        yield EventBatch(tuple(chosen), f"fake.{len(self.log)}", True)
        if group:
            self.groups[group] = f"fake.{len(self.log)}"

    def acknowledge_events(self, group: str, cursor: str, *, worker: str | None = None) -> None:
        self.groups[group] = cursor

    def move_event_group(self, group: str, to: str) -> None:
        self.groups[group] = to


@contextmanager
def fake_parley(*events: LogEvent | StoredEvent) -> Generator[FakeParley, None, None]:
    """Replaces Parley within the block: ``with fake_parley(make(Message)) as parley``."""
    fake = FakeParley(*events)
    before = clients.replace(fake)
    try:
        yield fake
    finally:
        clients.replace(before)
