"""The stream of stored events, for back ends: ``GET /v1/admin/events``, alone or as a worker of a group."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing, suppress
from urllib.parse import urlencode

from . import decoding
from .errors import MalformedAnswer, ParleyError
from .event_groups import EventGroupCalls, Membership, worker_name
from .models import EventBatch, StoredEvent, Thread
from .policy import seconds, wait_before
from .rest_base import ATTEMPTS, PATIENCE
from .transport import MAX_BODY, MAX_FRAME, Stream, refusal

#: The events of one request that does not follow.
_PAGE = "1000"
#: The events of one request of a worker: what is read while it handles them is not more.
_GROUP_PAGE = "200"
#: The most events between two cursors; the server sends at most 200.
MAX_BATCH = 1_000
#: The seconds that the end of a lease may take; it ends by itself otherwise.
_LEAVING = 3.0
#: The longest pause between two attempts to follow, in seconds, if the server asks for one.
_LONGEST_PAUSE = 300.0
#: The doublings of the longest pause while another worker of the group reads: up to 4 seconds.
_TURNS = 3


class EventCalls(EventGroupCalls):
    def all_events(
        self,
        *,
        after: str = "start",
        follow: bool = False,
        kinds: Iterable[str] = (),
        thread: Thread | str | None = None,
        user: str | None = None,
        group: str | None = None,
        worker: str | None = None,
        idle: float | None = None,
        on_wait: Callable[[ParleyError, float], None] | None = None,
    ) -> AsyncGenerator[EventBatch, None]:
        """The stored events of all threads, in batches, each with the cursor that follows it. It needs an API key
        without a user.

        Store the cursor of a batch together with what its events have changed, and pass it as ``after`` next time: the
        events after it are sent again under the same ``id``. A batch may be empty; its cursor counts too.

        With ``group`` the server keeps the place, and one worker of the group reads at a time. A batch is acknowledged
        when the next one is asked for, so handle it before. A loop that ends early, by ``break`` or by an error, has
        not acknowledged its last batch, and the next worker gets it again, unless :meth:`acknowledge_events` was
        called. While another worker reads, this one waits for its turn, at most 4 seconds between two attempts. If it
        loses the group in between, it waits again, and another worker may get events that it has handled.

        :param after: a cursor, ``start``, or ``end``; of a group, the place at which it is made
        :param follow: whether to wait for later events. Connections are then renewed without a limit, with a back-off;
            otherwise the batches end after the newest event, and a call is made up to 5 times
        :param kinds: types of events, such as ``message``, ``audit`` for the audit log, ``unseen``, and ``all``. If it
            is empty, all events of logs. Cursors move past the others
        :param user: the sender, the subject or the author of the events, by ID or name; for the audit log the user
            concerned or the actor, and for ``unseen`` the recipient
        :param group: the name of a group, 1 to 60 characters of ``A-Za-z0-9._-``
        :param worker: the name of a worker, with the same characters, which no other process has;
            :func:`worker_name` if ``None``
        :param idle: the seconds after which an empty batch is yielded if there is none, to do something in between.
            After ``end``, such batches begin with the first cursor
        :param on_wait: called with the error and the seconds before the next attempt; the error is ``conflict`` while
            another worker of the group reads
        :raises CursorRolledBack: the database was restored to an earlier state, or is another one
        :raises ParleyError: such as ``bad_request``, ``unauthorized`` and ``forbidden``
        """
        id = thread if thread is None or isinstance(thread, str) else thread.id
        fields = {"kinds": ",".join(kinds) or None, "thread": id, "user": user}
        query = {name: value for name, value in fields.items() if value is not None}
        own = None if group is None else Membership(self, group, worker or worker_name())
        batches = self._all_batches(after, query, follow, own, on_wait or (lambda *_: None))
        if own is not None:
            batches = self._as_worker(batches, own, query)
        return batches if idle is None else _with_idle(batches, after, idle)

    async def _all_batches(
        self,
        cursor: str,
        query: dict[str, str],
        follow: bool,
        group: Membership | None,
        on_wait: Callable[[ParleyError, float], None],
    ) -> AsyncGenerator[EventBatch, None]:
        clock = asyncio.get_running_loop().time
        failures, is_renewed = 0, False
        # A worker first reads what waits in pages. The server would cut an answer that follows while it is not read.
        is_live = follow and group is None
        while True:
            began, is_end, has_moved = clock(), False, False
            own = await self.headers()
            error: ParleyError | None = None
            try:
                answer = self._answer(_query_of_answer(query, cursor, is_live, group), own)
                if group is not None:
                    await group.send()
                async with aclosing(answer) as batches:
                    async for batch in batches:
                        is_renewed = False
                        has_moved = has_moved or bool(batch.events) or batch.cursor != cursor
                        cursor, is_end = batch.cursor, batch.is_end
                        if group is None:
                            yield batch
                            continue
                        with group.keeping(is_live):
                            yield batch
                        await group.handled(cursor, has_events=bool(batch.events), now=clock())
                if group is not None and is_end and not is_live:
                    await group.send()
            except ParleyError as refused:
                if refused.status == 401 and not is_renewed and self.renew(own):
                    is_renewed = True
                    continue
                if not refused.retryable and not (group is not None and refused.code == "conflict"):
                    raise
                error, is_live = refused, follow and group is None
            if error is None and not is_live and is_end:
                if follow:
                    is_live = True
                    continue
                return
            if has_moved or clock() - began >= seconds("stableAfter"):
                failures = 0
                if error is None and not is_live:
                    continue
            asked = error.retry_after if error else 0.0
            failures += 1
            if not follow and (failures >= ATTEMPTS or asked > PATIENCE):
                raise error or MalformedAnswer("the events end before their end")
            pause = min(asked, _LONGEST_PAUSE) + self._pause(failures, error)
            if error is not None:
                on_wait(error, pause)
            await asyncio.sleep(pause)

    def _pause(self, failures: int, error: ParleyError | None) -> float:
        attempt = failures - 1
        if error is not None and error.code == "conflict":
            # The lease of a worker that has ended is free at once, so its successor asks more often.
            attempt = min(attempt, _TURNS)
        return wait_before(attempt, "back-off", self._random)

    async def _as_worker(
        self, batches: AsyncGenerator[EventBatch, None], group: Membership, query: dict[str, str]
    ) -> AsyncGenerator[EventBatch, None]:
        """The batches, after which another worker may begin at once."""
        try:
            async with aclosing(batches):
                async for batch in batches:
                    yield batch
        finally:
            if group.has_lease and not self._is_closed:
                # A lease ends with an answer that follows, and with no other one.
                fields = query | group.query | {"follow": "1"}
                with suppress(ParleyError, TimeoutError, RuntimeError):
                    async with asyncio.timeout(_LEAVING), aclosing(self._answer(fields, await self.headers())) as end:
                        await anext(end, None)

    async def _answer(self, query: dict[str, str], own: dict[str, str]) -> AsyncGenerator[EventBatch, None]:
        headers = own | {"Accept": "application/x-ndjson"}
        async with self._transport.stream(f"/v1/admin/events?{urlencode(query)}", headers) as stream:
            if stream.status != 200:
                raise refusal(stream.status, stream.headers, await _beginning(stream))
            decoder = BatchDecoder()
            async for chunk in stream.chunks:
                for batch in decoder.feed(chunk):
                    yield batch


def _query_of_answer(query: dict[str, str], cursor: str, is_live: bool, group: Membership | None) -> dict[str, str]:
    size = _PAGE if group is None else _GROUP_PAGE
    # A group continues at its own place. One that was deleted is made again at the cursor.
    return (
        query | (group.query if group else {}) | ({"follow": "1"} if is_live else {"limit": size}) | {"after": cursor}
    )


class BatchDecoder:
    """Makes batches of the pieces of an answer, wherever they are cut.

    It holds one batch at most, of 1,000 events and 32 MiB. An incomplete last line was cut off, and is ignored.
    """

    def __init__(self) -> None:
        self._line = b""
        self._events: list[StoredEvent] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[EventBatch]:
        """
        :raises ParleyError: the error that ends the answer, or ``bad_answer``
        """
        lines = (self._line + chunk).split(b"\n")
        self._line = lines.pop()
        for line in lines:
            batch = self._batch(line)
            if batch is not None:
                yield batch
        if len(self._line) > MAX_FRAME:
            raise MalformedAnswer("a line of the events is too long")

    def _batch(self, line: bytes) -> EventBatch | None:
        if not line.strip():
            return None
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise MalformedAnswer("a line of the events is no JSON") from error
        if not isinstance(fields, dict):
            raise MalformedAnswer("a line of the events is no object")
        if "error" in fields:
            raise decoding.error_line(decoding.object_of(fields, "error"))
        if "event" in fields:
            self._size += len(line)
            if len(self._events) >= MAX_BATCH or self._size > MAX_BODY:
                raise MalformedAnswer("too many events without a cursor")
            self._events.append(decoding.stored_event(fields))
        if "cursor" not in fields:
            # A line of a later version.
            return None
        batch = EventBatch(tuple(self._events), decoding.text(fields, "cursor"), fields.get("end") is True)
        self._events, self._size = [], 0
        return batch


async def _beginning(stream: Stream) -> bytes:
    """The first 64 KiB of the body of a refusal."""
    body = b""
    async for chunk in stream.chunks:
        body += chunk
        if len(body) >= 64 << 10:
            break
    return body


async def _with_idle(
    batches: AsyncGenerator[EventBatch, None], after: str, idle: float
) -> AsyncGenerator[EventBatch, None]:
    """The batches, and an empty one after ``idle`` seconds without one."""
    # ``end`` as a stored place would miss the events until it is used.
    cursor = None if after == "end" else after
    pending: asyncio.Task[EventBatch | None] | None = None
    try:
        while True:
            pending = asyncio.ensure_future(_next(batches))
            while not (await asyncio.wait({pending}, timeout=idle))[0]:
                if cursor is not None:
                    yield EventBatch((), cursor, False)
            batch = pending.result()
            if batch is None:
                return
            cursor = batch.cursor
            yield batch
    finally:
        if pending is not None and not pending.done():
            pending.cancel()
            await asyncio.wait({pending})
        await batches.aclose()


async def _next(batches: AsyncIterator[EventBatch]) -> EventBatch | None:
    return await anext(batches, None)
