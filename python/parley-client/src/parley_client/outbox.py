"""The commands of this user that the server has not confirmed, in memory and without I/O.

A message is sent until its ack ``stored`` arrives, on each connection again and unchanged. An edit, a deletion or a
reaction is sent until its ack, and kept until its event, since a log that starts over may lose it. A read mark is sent
until its ack. One command of a thread is in flight at a time, so that repetitions keep the order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .errors import ParleyError
from .frames import ThreadState
from .models import JSON, Position, Receipt

#: The most sends of one connection that may wait to be stored; the server allows 256.
_UNSTORED = 200


def _retrieve(future: asyncio.Future[Receipt]) -> None:
    """Marks an error as seen, since a caller need not wait for a send."""
    if not future.cancelled():
        future.exception()


class Sending:
    """A command on its way to the server.

    Awaiting it waits for the end: for a message until it is in the server's database, for anything else until the log
    has it. It raises the :class:`ParleyError` of a command that was refused.
    """

    def __init__(self, thread_id: str, client_id: str) -> None:
        self.thread_id = thread_id
        #: The id of the send, under which it is repeated.
        self.client_id = client_id
        self._accepted: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._done: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        for future in (self._accepted, self._done):
            future.add_done_callback(_retrieve)

    def __await__(self) -> Generator[Any, None, Receipt]:
        return asyncio.shield(self._done).__await__()

    async def accepted(self) -> Receipt:
        """Waits until the log has it, and members receive it."""
        return await asyncio.shield(self._accepted)

    @property
    def is_done(self) -> bool:
        return self._done.done()

    def _resolve(self, receipt: Receipt, *, is_done: bool) -> None:
        for future in (self._accepted, self._done) if is_done else (self._accepted,):
            if not future.done():
                future.set_result(receipt)

    def _fail(self, error: ParleyError) -> None:
        for future in (self._accepted, self._done):
            if not future.done():
                future.set_exception(error)


@dataclass(eq=False, slots=True)
class Entry:
    """A command. ``not_before`` is a time of the loop, and ``position`` the place of an acknowledged change."""

    thread_id: str
    op: Literal["message", "change", "read"]
    command: JSON
    sending: Sending | None = None
    state: Literal["waiting", "sending", "accepted"] = "waiting"
    not_before: float = 0.0
    position: Position | None = None


class Outbox:
    """Commands by thread, in the order in which they were made.

    :param capacity: the most commands. Read marks, one for each thread, do not count
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._threads: dict[str, list[Entry]] = {}
        self._reads: dict[str, Entry] = {}

    def __len__(self) -> int:
        return sum(len(entries) for entries in self._threads.values())

    def __iter__(self) -> Iterator[Entry]:
        for entries in self._threads.values():
            yield from entries
        yield from self._reads.values()

    @property
    def is_settled(self) -> bool:
        """Whether the server has confirmed everything that it confirms."""
        return not self._reads and all(e.op == "change" and e.state == "accepted" for e in self)

    def add(self, entry: Entry) -> None:
        """
        :raises ParleyError: ``outbox_full``
        """
        if entry.op == "read":
            self._reads[entry.thread_id] = entry
            return
        if len(self) >= self.capacity:
            raise ParleyError("outbox_full", f"{self.capacity} commands wait to be sent", retryable=True)
        self._threads.setdefault(entry.thread_id, []).append(entry)

    def remove(self, entry: Entry) -> None:
        if self._reads.get(entry.thread_id) is entry:
            del self._reads[entry.thread_id]
        entries = self._threads.get(entry.thread_id, [])
        if entry in entries:
            entries.remove(entry)
            if not entries:
                del self._threads[entry.thread_id]

    def has(self, entry: Entry) -> bool:
        """Whether the entry still waits: a later read mark of its thread replaces one."""
        return self._reads.get(entry.thread_id) is entry or entry in self._threads.get(entry.thread_id, [])

    def due(self, now: float) -> list[Entry]:
        """The commands to send now: the first unanswered one of each thread, and read marks."""
        due = [e for e in self._reads.values() if e.state == "waiting" and e.not_before <= now]
        unstored = sum(
            e.op == "message" and e.state == "accepted" for entries in self._threads.values() for e in entries
        )
        for entries in self._threads.values():
            first = next((entry for entry in entries if entry.state != "accepted"), None)
            if first is None or first.state == "sending" or first.not_before > now:
                continue
            if first.op == "message":
                unstored += 1
                if unstored > _UNSTORED:
                    continue
            due.append(first)
        return due

    def next_due(self, now: float) -> float | None:
        """When the next command that waits after a refusal is due."""
        later = [entry.not_before for entry in self if entry.state == "waiting" and entry.not_before > now]
        return min(later, default=None)

    def interrupted(self) -> None:
        """The connection has ended: everything but acknowledged changes is sent again."""
        for entry in self:
            if entry.op != "change" or entry.state != "accepted":
                entry.state = "waiting"
                entry.not_before = 0.0

    def resumed(self, thread_id: str, state: ThreadState) -> None:
        """Handles the ``resumed`` of a thread, which may void what was acknowledged."""
        for entry in self._threads.get(thread_id, []):
            if entry.state != "accepted":
                continue
            if state.state == "rolled_back":
                entry.state = "waiting"
            elif entry.position and state.epoch:
                # Nothing is void, whatever the epoch.
                entry.position = Position(state.epoch, entry.position.seq)
        mark = self._reads.get(thread_id)
        if state.state == "rolled_back" and mark is not None:
            # The place of the mark means another event now.
            self.remove(mark)

    def settle(self, thread_id: str, head: Position | None) -> None:
        """Removes a thread's acknowledged changes whose events have arrived.

        :param head: the end of what has arrived; ``None`` for a thread that is gone
        """
        for entry in [e for e in self._threads.get(thread_id, []) if e.op == "change" and e.state == "accepted"]:
            at = entry.position
            if head is None or at is None or (head.epoch == at.epoch and head.seq >= at.seq):
                self.remove(entry)

    def fail(self, error: ParleyError) -> None:
        """Ends everything that waits."""
        for entry in list(self):
            if entry.sending:
                entry.sending._fail(error)
        self._threads.clear()
        self._reads.clear()
