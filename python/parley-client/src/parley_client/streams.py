"""Streams for ``async for``: bounded queues that miss nothing, since history has what does not fit."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from typing import Protocol

from .errors import ParleyError
from .models import BlocksChanged, Event, LogEvent, Message, Page, Presence, RolledBack, ThreadAdded, UserChanged
from .thread_log import ThreadLog, covered_to

#: Events of one page of a stream that catches up.
_PAGE = 200
#: The sends that a stream of messages remembers, to show a send once that the log has twice.
_REMEMBERED = 2_000


class Source(Protocol):
    """Where a stream gets what it has no room for."""

    def log(self, thread_id: str) -> ThreadLog | None: ...

    async def connected(self) -> None: ...

    async def history(
        self, thread_id: str, *, before: int | None = None, after: int | None = None, limit: int | None = None
    ) -> Page: ...

    def forget(self, stream: EventStream) -> None: ...


class EventStream(AsyncIterator[Event]):
    """Everything that happens in one thread, or in all: events of the log, each once and in order, and beside them
    read marks, typing, presence and memberships.

    A stream begins when it is made. At most ``capacity`` events wait in it; a reader that is slower gets the rest of
    the log's events from history, and loses the other events of that time. After :class:`RolledBack` the events
    from its ``from_seq`` on follow, as they are now. It ends when the client is closed, and raises
    :class:`ParleyError` if the connection has ended for good.
    """

    def __init__(self, source: Source, thread_id: str | None, after: int | None, capacity: int) -> None:
        self._source = source
        self._thread_id = thread_id
        self._capacity = capacity
        self._queue: deque[Event] = deque()
        #: Threads whose events have to be fetched, with the last place that was passed on.
        self._lagging: dict[str, int] = {}
        self._rolled_back: dict[str, RolledBack] = {}
        self._ready = asyncio.Event()
        self._is_over = False
        self._error: ParleyError | None = None
        if thread_id is not None and after is not None:
            self._lagging[thread_id] = after

    def __aiter__(self) -> EventStream:
        return self

    async def __anext__(self) -> Event:
        while True:
            if self._queue:
                return self._queue.popleft()
            if self._is_over:
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            if self._lagging:
                await self._catch_up()
                continue
            self._ready.clear()
            await self._ready.wait()

    async def aclose(self) -> None:
        """Ends the stream."""
        self._end(None)
        self._source.forget(self)

    def _end(self, error: ParleyError | None) -> None:
        self._is_over = True
        self._error = error
        self._ready.set()

    def _offer(self, event: Event) -> None:
        if self._thread_id is not None and _thread_of(event) not in (self._thread_id, None):
            return
        is_full = len(self._queue) >= self._capacity
        if isinstance(event, LogEvent):
            self._offer_log_event(event, is_full)
        elif isinstance(event, RolledBack):
            self._offer_rolled_back(event, is_full)
        elif not is_full:
            self._queue.append(event)
        self._ready.set()

    def _offer_log_event(self, event: LogEvent, is_full: bool) -> None:
        thread_id = event.thread_id
        if is_full:
            self._lagging.setdefault(thread_id, event.seq - 1)
        elif thread_id not in self._lagging:
            self._queue.append(event)

    def _offer_rolled_back(self, event: RolledBack, is_full: bool) -> None:
        thread_id = event.thread_id
        if thread_id not in self._lagging and not is_full:
            self._queue.append(event)
            return
        former = self._rolled_back.get(thread_id, event)
        self._rolled_back[thread_id] = min(former, event, key=lambda each: each.from_seq)
        self._lagging[thread_id] = min(self._lagging.get(thread_id, event.from_seq - 1), event.from_seq - 1)

    async def _catch_up(self) -> None:
        """Fetches a page of a thread that is behind. The queue is empty before it."""
        thread_id, after = next(iter(self._lagging.items()))
        notice = self._rolled_back.pop(thread_id, None)
        if notice is not None:
            self._queue.append(notice)
            return
        page, log = None, None
        try:
            await self._source.connected()
            log = self._source.log(thread_id)
            if log is not None and log.seq > after:
                page = await self._source.history(thread_id, after=after, limit=_PAGE)
        except ParleyError:
            # The thread is gone, or the client has ended, which the next turn tells.
            log = None
        if thread_id in self._rolled_back:
            # The log has started over during the request, which comes first.
            return
        if log is None or page is None:
            del self._lagging[thread_id]
            return
        # What is above the end of the log comes from there, which also hears if it is void.
        self._queue.extend(event for event in page.events if after < event.seq <= log.seq)
        end = covered_to(page, after)
        if end >= log.seq or (not page.events and not page.has_more_after):
            del self._lagging[thread_id]
        else:
            self._lagging[thread_id] = end


class MessageStream(AsyncIterator[Message]):
    """The messages of one thread, or of all, each once and in order; see :class:`EventStream`.

    A send that the log has twice, as it may while the database is unavailable, or again after it was rolled back, is
    passed on once. Messages that were deleted before they arrived are left out.
    """

    def __init__(self, events: EventStream) -> None:
        self._events = events
        self._sends: OrderedDict[tuple[str, str], tuple[object, ...]] = OrderedDict()

    def __aiter__(self) -> MessageStream:
        return self

    async def __anext__(self) -> Message:
        while True:
            event = await anext(self._events)
            if isinstance(event, Message) and not event.is_deleted and not event.is_erased and self._is_new(event):
                return event

    def _is_new(self, message: Message) -> bool:
        if message.client_id is None:
            return True
        key = (message.sender_id, message.client_id)
        content = (message.thread_id, message.text, message.parts, message.reply_to)
        if self._sends.get(key) == content:
            return False
        self._sends[key] = content
        if len(self._sends) > _REMEMBERED:
            self._sends.popitem(last=False)
        return True

    async def aclose(self) -> None:
        """Ends the stream."""
        await self._events.aclose()


def _thread_of(event: Event) -> str | None:
    if isinstance(event, (BlocksChanged, Presence, UserChanged)):
        return None
    return event.thread.id if isinstance(event, ThreadAdded) else event.thread_id
