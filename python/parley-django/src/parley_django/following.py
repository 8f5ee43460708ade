"""Common to what follows the stream of events: waits that a signal ends, pauses, and the call of the handlers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from random import Random

from django.db import router

from parley_client import EVENT_TYPES, EventBatch, ParleyError, StoredEvent, UnknownEvent
from parley_client.policy import wait_before

from . import handlers
from .conf import Settings
from .models import EventCursor

logger = logging.getLogger("parley_django")

#: The longest pause before an event is handled again, in seconds.
LONGEST_PAUSE = 15.0
#: The seconds after which a transaction gets no further event.
TRANSACTION = 0.2
#: The characters of an error that are stored.
PROBLEM = 1_000


class Stopped(Exception):
    """The process was asked to end."""


class Taken(Exception):
    """Another process follows for this consumer or group, or has taken the place of this one."""


class Following:
    """Follows for a consumer until :meth:`stop`.

    :param after: where a consumer or a group without a place begins: ``start``, ``end`` or a cursor
    :param once: whether to end after the newest event
    :param waits: whether to wait while another process follows
    :param sleep: replaced by tests
    """

    def __init__(
        self, consumer: str, settings: Settings, after: str, once: bool, waits: bool, sleep: Callable[[float], object]
    ) -> None:
        self.consumer = consumer
        self._settings = settings
        self._after = after
        self._once = once
        self._waits = waits
        self._sleep = sleep
        self._random = Random()
        self._database = router.db_for_write(EventCursor)
        self._is_stopping = False
        self._is_waiting = False
        #: The IDs of the events of the transaction in progress, or of the last one.
        self._attempt: list[str] = []

    def stop(self) -> None:
        """Ends :meth:`run` after the transaction that is in progress. A signal handler may call it.

        :raises Stopped: in the middle of a wait, which it ends
        """
        self._is_stopping = True
        if self._is_waiting:
            raise Stopped

    def run(self) -> None:
        """
        :raises Taken: another process follows, and this one was not to wait
        :raises ParleyError: such as ``CursorRolledBack``, ``unauthorized`` and ``bad_request``
        """
        raise NotImplementedError

    def restart(self, after: str) -> None:
        """Discards the stored place, and begins at another one.

        :raises Taken: another process follows
        """
        raise NotImplementedError

    def _next(self, batches: Generator[EventBatch, None, None]) -> EventBatch | None:
        with _Waiting(self):
            return next(batches, None)

    def _pause(self, seconds: float) -> None:
        with _Waiting(self):
            self._sleep(seconds)

    def _back_off(self, failures: int) -> float:
        return min(LONGEST_PAUSE, self._settings.lease_seconds / 2, wait_before(failures, "back-off", self._random))

    def _report_refusal(self, error: Exception, failures: int) -> tuple[str, float]:
        """Logs the error of a handler. Returns the ID of its event, and the seconds before the next attempt."""
        attempt = self._attempt
        id = attempt[-1] if attempt else "none"
        # The first repetition of several events only tells which one fails.
        pause = self._back_off(failures) if failures > 1 or len(attempt) <= 1 else 0.0
        message = "a handler of %s refuses the event %s (attempt %d); next attempt in %.1f s"
        logger.error(message, self.consumer, id, failures, pause, exc_info=error)
        return id, pause


class _Waiting:
    """The time in which a signal may end a wait at once."""

    def __init__(self, following: Following) -> None:
        self._following = following

    def __enter__(self) -> None:
        self._following._is_waiting = True
        if self._following._is_stopping:
            self._following._is_waiting = False
            raise Stopped

    def __exit__(self, *_: object) -> None:
        self._following._is_waiting = False


def is_due(began: float) -> bool:
    """Whether a transaction that began at a time of ``time.monotonic`` gets no further event."""
    return time.monotonic() - began >= TRANSACTION


def handle(consumer: str, stored: StoredEvent) -> list[str]:
    """Passes an event to its handlers, in the order of their registration. Returns their names."""
    if isinstance(stored.event, UnknownEvent) and stored.type in EVENT_TYPES:
        logger.warning("the event %s of the type %s cannot be read, and is an UnknownEvent", stored.id, stored.type)
    called = []
    for handler in handlers.handlers_of(consumer, stored.event):
        handler.function(stored.event, stored.id)
        called.append(handler.name)
    return called


def report(error: ParleyError, pause: float) -> None:
    logger.warning("Parley cannot be followed (%s); next attempt in %.1f s", error, pause)
