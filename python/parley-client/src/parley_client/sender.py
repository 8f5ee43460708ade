"""Sends what this user does: the outbox, typing, and who is watched."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from random import Random

from . import decoding, frames
from .connection import Connection
from .errors import ParleyError
from .models import JSON, Position
from .outbox import Entry, Outbox
from .policy import pause_after_refusal, seconds

logger = logging.getLogger("parley_client")

#: Commands of the outbox that may be unanswered; the server takes 128 of one socket.
_UNANSWERED = 64


class Sender:
    """
    :param sent: called with the thread of an edit, a deletion or a reaction that was acknowledged
    :param changed: called when the outbox has changed
    """

    def __init__(
        self,
        connection: Connection,
        capacity: int,
        random: Random,
        sent: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        self.outbox = Outbox(capacity)
        self._connection = connection
        self._random = random
        self._sent = sent
        self._changed = changed
        self._wake = asyncio.Event()
        self._typing: dict[str, bool] = {}
        self._typed_at: dict[str, float] = {}
        self._watched: list[str] | None = None
        self._is_watching = False

    def wake(self) -> None:
        """Sends what is due."""
        self._wake.set()

    def state_changed(self) -> None:
        """The connection is open, or no longer."""
        self._is_watching = False
        self._typing.clear()
        self._typed_at.clear()
        if self._connection.state == "connecting":
            self.outbox.interrupted()
        self.wake()

    def arrived(self, thread_id: str, head: Position | None) -> None:
        """A thread's events up to ``head`` have arrived; ``None`` for a thread that is gone."""
        if len(self.outbox):
            self.outbox.settle(thread_id, head)
            self.wake()
            self._changed()

    def add(self, entry: Entry) -> None:
        """
        :raises ParleyError: ``outbox_full``
        """
        self.outbox.add(entry)
        self.wake()

    def type(self, thread_id: str, on: bool) -> None:
        if self._connection.state != "connected":
            return
        now = asyncio.get_running_loop().time()
        typed_at = self._typed_at.get(thread_id)
        if on and typed_at is not None and now - typed_at < seconds("typingEvery"):
            return
        if on:
            self._typed_at[thread_id] = now
        elif self._typed_at.pop(thread_id, None) is None:
            return
        self._typing[thread_id] = on
        self.wake()

    def watch(self, users: list[str]) -> None:
        self._watched = users
        self._is_watching = False
        self.wake()

    async def flush_forever(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._wake.clear()
            await self._flush(loop.time())
            try:
                async with asyncio.timeout_at(self.outbox.next_due(loop.time())):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def _flush(self, now: float) -> None:
        if self._connection.state != "connected":
            return
        if self._watched is not None and not self._is_watching:
            self._is_watching = True
            await self._connection.post(frames.watch(self._watched), self._watch_answered)
        typing, self._typing = self._typing, {}
        for id, on in typing.items():
            await self._connection.post(frames.typing(id, on), lambda _: None)
        for entry in self.outbox.due(now):
            if self._connection.unanswered >= _UNANSWERED:
                return
            if entry.state != "waiting" or not self.outbox.has(entry):
                continue
            entry.state = "sending"
            on_stored = partial(self._stored, entry) if entry.op == "message" else None
            await self._connection.post(entry.command, partial(self._answered, entry), on_stored)

    def _watch_answered(self, answer: JSON | ParleyError) -> None:
        if isinstance(answer, ParleyError) and answer.code not in ("disconnected", "rate_limited", "unavailable"):
            logger.warning("The watched users were refused: %s", answer)
            self._watched = None
        elif isinstance(answer, ParleyError) and answer.code != "disconnected":
            pause = pause_after_refusal(answer.retry_after, self._random)
            asyncio.get_running_loop().call_later(pause, self._watch_again)

    def _watch_again(self) -> None:
        self._is_watching = False
        self.wake()

    def _answered(self, entry: Entry, answer: JSON | ParleyError) -> None:
        self.wake()
        if not self.outbox.has(entry):
            return
        if isinstance(answer, ParleyError):
            return self._refused(entry, answer)
        receipt = decoding.receipt(answer)
        if entry.op == "read":
            self.outbox.remove(entry)
        elif entry.op == "message":
            entry.state = "accepted"
        elif receipt.seq == 0:
            self.outbox.remove(entry)
        else:
            entry.state = "accepted"
            entry.position = Position(receipt.epoch, receipt.seq)
            self._sent(entry.thread_id)
        if entry.sending:
            entry.sending._resolve(receipt, is_done=entry.op != "message")
        self._changed()

    def _stored(self, entry: Entry, answer: JSON) -> None:
        self.outbox.remove(entry)
        if entry.sending:
            entry.sending._resolve(decoding.receipt(answer), is_done=True)
        self.wake()
        self._changed()

    def _refused(self, entry: Entry, error: ParleyError) -> None:
        if error.retryable:
            entry.state = "waiting"
            if error.code != "disconnected":
                pause = pause_after_refusal(error.retry_after, self._random)
                entry.not_before = asyncio.get_running_loop().time() + pause
            return
        self.outbox.remove(entry)
        logger.warning("A command was refused: %s", error)
        if entry.sending:
            entry.sending._fail(error)
        self._changed()
