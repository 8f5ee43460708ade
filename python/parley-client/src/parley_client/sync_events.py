"""The stream of events and the groups of its readers, for code without ``async``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress

from .errors import ParleyError
from .event_groups import EventGroup
from .models import EventBatch, Thread
from .portal import portal as _portal
from .rest_events import EventCalls as AsynchronousCalls

#: The longest wait for the end of a lease, in seconds.
_LEAVING = 5.0


class EventCalls:
    @property
    def _rest(self) -> AsynchronousCalls:
        raise NotImplementedError

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
    ) -> Generator[EventBatch, None, None]:
        """The batches of :meth:`parley_client.Rest.all_events`. ``on_wait`` is called in another thread; an error that
        it raises ends the batches."""
        # A generator of its own, which keeps this object and its connections until it ends.
        rest = self._rest
        batches = rest.all_events(
            after=after,
            follow=follow,
            kinds=kinds,
            thread=thread,
            user=user,
            group=group,
            worker=worker,
            idle=idle,
            on_wait=on_wait,
        )
        try:
            yield from _portal.iterate(batches)
        finally:
            if group is not None:
                # Ends the lease before the process may end. A call that was interrupted may still be running.
                with suppress(ParleyError, RuntimeError):
                    _portal.run(batches.aclose(), timeout=_LEAVING)

    def event_groups(self) -> list[EventGroup]:
        return _portal.run(self._rest.event_groups())

    def acknowledge_events(self, group: str, cursor: str, *, worker: str | None = None) -> None:
        _portal.run(self._rest.acknowledge_events(group, cursor, worker=worker))

    def move_event_group(self, group: str, to: str) -> None:
        _portal.run(self._rest.move_event_group(group, to))

    def delete_event_group(self, group: str) -> None:
        _portal.run(self._rest.delete_event_group(group))
