"""Everything of a client besides its public face: logs, outbox, repairs of gaps, and who hears of what."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from random import Random
from weakref import WeakSet

from . import decoding, frames
from .connection import Connection
from .credentials import Credentials
from .errors import ParleyError
from .frames import Behind, Frame, Hello, Resumed, ThreadState
from .models import (
    JSON,
    Event,
    LogEvent,
    Mute,
    MuteChanged,
    Page,
    Position,
    RolledBack,
    Thread,
    ThreadAdded,
    ThreadRemoved,
    User,
)
from .policy import pause_after_refusal
from .sender import Sender
from .streams import EventStream
from .thread_log import ThreadLog
from .transport import Transport

logger = logging.getLogger("parley_client")

#: Gaps that are repaired at the same time.
_REPAIRS = 4
#: Events of one page that repairs a gap, the most that the server allows.
_PAGE = 200


class Engine:
    """
    :param positions: where threads continue that this client has seen before
    :param capacity: the most commands that may wait in the outbox
    """

    def __init__(
        self,
        transport: Transport,
        credentials: Credentials,
        positions: Mapping[str, Position],
        capacity: int,
        random: Random,
    ) -> None:
        self.user: User | None = None
        self.threads: dict[str, Thread] = {}
        self.logs = {id: ThreadLog(id, position) for id, position in positions.items()}
        self.streams: WeakSet[EventStream] = WeakSet()
        self.connection = Connection(transport, credentials, self, random)
        self.sender = Sender(self.connection, capacity, random, self._sent, self._note_change)
        self._random = random
        self._frame_bytes = 65_536
        #: The server's time minus that of the loop, in milliseconds. Neither of them follows a clock that is corrected.
        self._clock_offset: float | None = None
        #: Set and replaced with every change of the connection, the threads or the outbox.
        self._changed = asyncio.Event()
        self._is_over = False
        self._is_resumed = False
        self._late: dict[str, Thread | None] = {}
        self._repairs: asyncio.Queue[str] = asyncio.Queue()
        self._in_repair: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    # Life

    def start(self) -> None:
        work = [self.connection.run(), self.sender.flush_forever(), *(self._repair_forever() for _ in range(_REPAIRS))]
        self._tasks = [asyncio.create_task(self._guarded(each)) for each in work]

    async def _guarded(self, work: Coroutine[None, None, None]) -> None:
        """Ends everything if a part of it fails, so that its users do not wait in vain."""
        try:
            await work
        except Exception:
            logger.exception("The client has failed")
            self.connection.error = ParleyError("internal", "the client has failed")
            self._ended(self.connection.error, is_clean=False)

    async def stop(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._ended(ParleyError("closed", "the client was closed"), is_clean=True)

    def _ended(self, error: ParleyError, *, is_clean: bool) -> None:
        self._is_over = True
        self.sender.outbox.fail(error)
        for stream in list(self.streams):
            stream._end(None if is_clean else error)
        self._note_change()

    @property
    def is_ended(self) -> bool:
        return self._is_over or self.connection.state == "ended"

    def check(self) -> None:
        """
        :raises ParleyError: why nothing more can be sent
        """
        if self.is_ended:
            raise self.connection.error or ParleyError("closed", "the client was closed")

    def _note_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self) -> None:
        """Waits for a change of the connection, the threads or the outbox."""
        self.check()
        await self._changed.wait()

    async def connected(self) -> None:
        """Waits until the socket is open, and what was missed was told.

        :raises ParleyError: why it will not be
        """
        self.check()
        while not self._is_resumed:
            await self.changed()

    # The connection

    def on_state(self) -> None:
        state = self.connection.state
        if state == "connecting":
            self._is_resumed = False
        elif state == "ended":
            self._is_resumed = False
            if self.connection.error is not None:
                self._ended(self.connection.error, is_clean=False)
        self.sender.state_changed()
        self._note_change()

    def on_hello(self, hello: Hello) -> Mapping[str, Position]:
        self.user = hello.user
        self._frame_bytes = hello.frame_bytes
        if hello.server_time is not None:
            self._clock_offset = hello.server_time - asyncio.get_running_loop().time() * 1000
        known = {thread.id: thread for thread in hello.threads}
        for id in [] if hello.has_more else [id for id in self.logs if id not in known]:
            self._remove(id)
        self.threads = known | (
            {id: each for id, each in self.threads.items() if id not in known} if hello.has_more else {}
        )
        self._late = {}
        for log in self.logs.values():
            thread = known.get(log.thread_id)
            if thread is None or not thread.is_available or Position(thread.epoch, thread.seq) != log.position:
                self._late[log.thread_id] = thread
        for thread in hello.threads:
            if thread.id not in self.logs and thread.is_available:
                self.logs[thread.id] = ThreadLog(thread.id, Position(thread.epoch, thread.seq))
        return self._fitting()

    def _fitting(self) -> dict[str, Position]:
        """The positions that fit into one frame, other epochs first, since only a resume tells what is void."""

        def can_wait(id: str) -> bool:
            thread = self._late[id]
            return thread is not None and thread.is_available and thread.epoch == self.logs[id].epoch

        positions: dict[str, Position] = {}
        room = self._frame_bytes - 100
        for id in sorted(self._late, key=can_wait):
            position = self.logs[id].position
            room -= len(id) + len(position.epoch) + 50
            if room > 0:
                positions[id] = position
            else:
                self._continue_without_resume(id)
        return positions

    def _continue_without_resume(self, id: str) -> None:
        thread, log = self._late[id], self.logs[id]
        if thread is None or not thread.is_available:
            # It is live from the next event on, which shows the gap.
            return
        if thread.epoch != log.epoch and log.epoch != "":
            self._roll_back(id, ThreadState("rolled_back", thread.epoch, 1))
        log.missing_to(thread.seq, thread.epoch)
        self._repair(log)

    def on_late_resume(self) -> bool:
        if any(thread is not None and thread.epoch != self.logs[id].epoch for id, thread in self._late.items()):
            return False
        for id in self._late:
            self._continue_without_resume(id)
        self._has_resumed()
        return True

    def _has_resumed(self) -> None:
        if not self._is_resumed:
            self._is_resumed = True
            self._note_change()
            for log in self.logs.values():
                self._repair(log)

    def on_frame(self, frame: Frame) -> None:
        match frame:
            case LogEvent():
                self._event(frame)
            case Resumed(threads):
                for id, state in threads.items():
                    self._resumed(id, state)
                self._has_resumed()
                self.sender.wake()
            case Behind(threads):
                for id, seq in threads.items():
                    self._missing(id, seq)
            case ThreadAdded(thread):
                self.threads[thread.id] = thread
                self._added(thread)
                self._pass_on(frame)
                self._note_change()
            case ThreadRemoved(id):
                self._remove(id)
            case MuteChanged(id, mute):
                if (known := self.threads.get(id)) is not None:
                    self.threads[id] = replace(known, mute=mute)
                self._pass_on(frame)
                self._note_change()
            case RolledBack() | frames.Answer() | frames.Bye() | Hello():
                pass
            case _:
                self._pass_on(frame)

    def _added(self, thread: Thread) -> None:
        log = self.logs.get(thread.id)
        if log is not None and log.epoch == thread.epoch:
            # An older hello lacked it, or it is told twice: nothing in between may be missing.
            log.missing_to(thread.seq)
            self._repair(log)
        else:
            self.logs[thread.id] = ThreadLog(thread.id, Position(thread.epoch, thread.seq))

    def _event(self, event: LogEvent) -> None:
        id = event.thread_id
        log = self.logs.get(id)
        if log is None:
            # A thread that hello had no room for. It is live, so this is its next event.
            log = self.logs[id] = ThreadLog(id, Position(event.epoch, event.seq - 1))
        if log.takes(event):
            self._pass_on(event)
            self._settle(log)
        self._repair(log)

    def _settle(self, log: ThreadLog) -> None:
        self.sender.arrived(log.thread_id, log.position)

    def _resumed(self, id: str, state: ThreadState) -> None:
        log = self.logs.get(id)
        match state.state:
            case "gone" | "denied":
                self._remove(id)
            case "rolled_back":
                self._roll_back(id, state)
            case "live" | "replayed" | "page":
                if log is None:
                    log = self.logs[id] = ThreadLog(id, Position(state.epoch or "", max(0, state.from_seq - 1)))
                log.missing_to(state.to_seq, state.epoch)
                self.sender.outbox.resumed(id, state)
                self._repair(log)

    def _roll_back(self, id: str, state: ThreadState) -> None:
        log = self.logs.get(id)
        if log is None:
            return
        log.rolled_back(state.epoch, state.from_seq)
        self.sender.outbox.resumed(id, state)
        self._pass_on(RolledBack(id, log.seq + 1))
        self._repair(log)

    def _missing(self, id: str, seq: int) -> None:
        log = self.logs.get(id)
        if log is not None:
            log.missing_to(seq)
            self._repair(log)

    def mute_of(self, id: str) -> Mute | None:
        """The mute of a thread that is in force now."""
        thread = self.threads.get(id)
        mute = thread.mute if thread is not None else None
        if mute is None or mute.until_ms is None:
            return mute
        offset = self._clock_offset
        now = time.time() * 1000 if offset is None else asyncio.get_running_loop().time() * 1000 + offset
        return mute if now < mute.until_ms else None

    def _remove(self, id: str) -> None:
        self.threads.pop(id, None)
        self.logs.pop(id, None)
        self.sender.arrived(id, None)
        self._pass_on(ThreadRemoved(id))
        self._note_change()

    def _pass_on(self, event: Event) -> None:
        for stream in list(self.streams):
            stream._offer(event)

    # Gaps

    def _repair(self, log: ThreadLog) -> None:
        if self._is_resumed and log.needs_repair and log.thread_id not in self._in_repair:
            self._in_repair.add(log.thread_id)
            self._repairs.put_nowait(log.thread_id)

    async def _repair_forever(self) -> None:
        while True:
            id = await self._repairs.get()
            try:
                while (log := self.logs.get(id)) is not None and log.needs_repair:
                    await self._repair_once(log)
            except ParleyError:
                # The client has ended, which everyone has been told.
                return
            finally:
                self._in_repair.discard(id)

    async def _repair_once(self, log: ThreadLog) -> None:
        await self.connected()
        after, generation, known_to = log.seq, log.generation, log.known_to
        if not log.needs_repair:
            # The resume has brought it.
            return
        try:
            page = await self.history(log.thread_id, after=after, limit=_PAGE)
        except ParleyError as error:
            if self.is_ended:
                raise
            logger.info("A gap cannot be repaired: %s", error)
            log.known_to, log.must_load = log.seq, False
            return
        if self.logs.get(log.thread_id) is not log:
            return
        events = log.take_page(page, after, generation, known_to)
        for event in events:
            self._pass_on(event)
        self._settle(log)
        if log.needs_repair and not events and log.seq == after:
            await asyncio.sleep(pause_after_refusal(0.0, self._random))

    async def history(
        self, thread_id: str, *, before: int | None = None, after: int | None = None, limit: int | None = None
    ) -> Page:
        """A page of a thread's log, asked for again until there is an answer.

        :raises ParleyError: a refusal for good
        """
        answer = await self.ask(frames.history(thread_id, before=before, after=after, limit=limit))
        return decoding.page(answer)

    async def ask(self, command: JSON) -> JSON:
        """The answer of a command that may be repeated."""
        while True:
            await self.connected()
            try:
                return await self.connection.command(command)
            except ParleyError as error:
                if not error.retryable:
                    raise
                if error.code != "disconnected":
                    await asyncio.sleep(pause_after_refusal(error.retry_after, self._random))

    def _sent(self, thread_id: str) -> None:
        """An edit, a deletion or a reaction was acknowledged: its event may have arrived before."""
        log = self.logs.get(thread_id)
        self.sender.arrived(thread_id, log.position if log else None)

    # Streams

    def log(self, thread_id: str) -> ThreadLog | None:
        return self.logs.get(thread_id)

    def forget(self, stream: EventStream) -> None:
        self.streams.discard(stream)
