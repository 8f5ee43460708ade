"""Groups of readers of the stream of events: the server keeps their place, and one worker of each reads at a time."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from . import decoding
from .errors import ParleyError
from .models import JSON
from .rest_base import RestBase
from .transport import escaped

#: The characters of the name of a group or a worker.
_NAME = 60
#: The seconds between two extensions of a lease, which lasts 30 seconds.
_EXTENSION = 10.0
#: The seconds between two acknowledgements of batches without events.
_QUIET = 1.0


@dataclass(frozen=True, slots=True)
class EventGroup:
    """A group of readers. Times are milliseconds since 1970 by the clock of the server's database."""

    name: str
    #: The place up to which everything was handled.
    cursor: str
    #: The worker that had the lease last; ``None`` after the group was moved.
    worker: str | None
    #: The end of its lease; another worker may read from then on.
    lease_until_ms: int
    #: The last acknowledgement; ``None`` before the first.
    acknowledged_ms: int | None


def worker_name() -> str:
    """The host and the ID of this process, as a name of a worker: ``web-3-4711``."""
    end = f"-{os.getpid()}"
    return re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname() or "host")[: _NAME - len(end)] + end


def decoded(fields: JSON) -> EventGroup:
    """
    :raises MalformedAnswer: a field is missing
    """
    return EventGroup(
        name=decoding.text(fields, "name"),
        cursor=decoding.text(fields, "cursor"),
        worker=decoding.maybe_text(fields, "worker") or None,
        lease_until_ms=decoding.number(fields, "lease_until_ms"),
        acknowledged_ms=decoding.maybe_number(fields, "acknowledged_ms"),
    )


class EventGroupCalls(RestBase):
    """The calls need an API key without a user."""

    async def event_groups(self) -> list[EventGroup]:
        """All groups of readers by name, at most 100."""
        answer = await self.fetch("GET", "/v1/admin/event-groups")
        return [decoded(each) for each in decoding.objects(answer, "groups")]

    async def acknowledge_events(self, group: str, cursor: str, *, worker: str | None = None) -> None:
        """Tells the server that a worker has handled everything up to a cursor; :meth:`all_events` does so by itself.

        :param worker: the name of this process without one, as for :meth:`all_events`
        :raises ParleyError: ``conflict`` if another worker has had the lease since, or the group was moved;
            ``not_found`` for an unknown group
        """
        await self.call("PUT", _path(group), content={"cursor": cursor, "worker": worker or worker_name()})

    async def move_event_group(self, group: str, to: str) -> None:
        """Moves the place of a group. Its worker loses the lease, and begins again there.

        :param to: a cursor, ``start`` or ``end``
        """
        await self.call("PUT", _path(group), content={"cursor": to})

    async def delete_event_group(self, group: str) -> None:
        """Forgets a group and its place. A worker that still reads makes it again, at what it has handled."""
        await self.call("DELETE", _path(group))


class Membership:
    """One worker while it reads: its lease, and the place up to which its caller has handled everything.

    :param calls: makes the calls
    """

    def __init__(self, calls: EventGroupCalls, group: str, worker: str) -> None:
        self.group, self.worker = group, worker
        #: Whether the lease lasts longer than the answer.
        self.has_lease = False
        self._calls = calls
        self._handled: str | None = None
        self._sent_at = float("-inf")

    @property
    def query(self) -> dict[str, str]:
        return {"group": self.group, "worker": self.worker}

    @contextmanager
    def keeping(self, is_live: bool) -> Iterator[None]:
        """Extends the lease while a batch is handled, which may take longer than a lease."""
        self.has_lease = not is_live
        task = asyncio.ensure_future(self._keep())
        try:
            yield
        finally:
            task.cancel()

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(_EXTENSION)
            try:
                # The events are read again later: this call is only for its lease.
                await self._calls.call("GET", "/v1/admin/events", query={**self.query, "limit": 1})
            except ParleyError as error:
                if not error.retryable:
                    # The acknowledgement says so too.
                    return

    async def handled(self, cursor: str, *, has_events: bool, now: float) -> None:
        """Acknowledges a batch that was handled. A batch without events may be acknowledged with a later one."""
        self._handled = cursor
        if has_events or now - self._sent_at >= _QUIET:
            self._sent_at = now
            await self.send()

    async def send(self) -> None:
        """Acknowledges what is not acknowledged yet, if there is something.

        :raises ParleyError: ``conflict`` if this worker has lost the group; what it has handled may be sent to another
            one. After other errors, the call may be repeated
        """
        if self._handled is None:
            return
        try:
            await self._calls.acknowledge_events(self.group, self._handled, worker=self.worker)
        except ParleyError as error:
            if error.code in ("conflict", "not_found"):
                self._handled, self.has_lease = None, False
            if error.code == "not_found":
                raise ParleyError("conflict", f"the group {self.group} was deleted", status=error.status) from error
            raise
        self._handled = None


def _path(group: str) -> str:
    return f"/v1/admin/event-groups/{escaped(group)}"
