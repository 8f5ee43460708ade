"""Follows the stream of events: each event reaches its handlers, and its effects on the database happen once.

- **One process at a time.** A process holds the row of its consumer for ``LEASE_SECONDS``, and each transaction
  prolongs that. Another one waits, and takes its place after this time without a sign of life. The first statement of
  each transaction writes the row on the condition that this process still holds it. That locks the row, as
  ``select_for_update`` would, on SQLite too.
- **Each effect once.** A transaction has the changes of the handlers, and either the cursor after the events or, in the
  middle of a batch, the IDs of the events done since the cursor. After every error the row is read again, since a
  transaction may be committed although its ``COMMIT`` has failed.
- **In order.** An event that a handler refuses is repeated until it succeeds, and the events after it wait.
"""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from datetime import timedelta
from random import Random

from django.db import Error as DatabaseError
from django.db import close_old_connections, router, transaction
from django.db.models import Q
from django.utils import timezone

from parley_client import EVENT_TYPES, EventBatch, ParleyError, StoredEvent, UnknownEvent
from parley_client.policy import wait_before

from . import clients, handlers
from .conf import Settings
from .models import EventCursor

logger = logging.getLogger("parley_django")

#: The longest pause before an event is handled again, in seconds.
LONGEST_PAUSE = 15.0
#: The seconds between two writes of a cursor that has passed no event of interest.
_QUIET = 1.0
#: The seconds after which a transaction gets no further event.
_TRANSACTION = 0.2
#: The characters of an error that are stored.
_PROBLEM = 1_000


class Stopped(Exception):
    """The process was asked to end."""


class Taken(Exception):
    """Another process follows for this consumer, or has taken the place of this one."""


class Follower:
    """Follows for one consumer until :meth:`stop`.

    :param after: where a consumer without a cursor begins: ``start``, ``end`` or a cursor
    :param once: whether to end after the newest event
    :param waits: whether to wait while another process follows
    :param sleep: replaced by tests
    """

    def __init__(
        self,
        consumer: str,
        settings: Settings,
        *,
        after: str = "start",
        once: bool = False,
        waits: bool = True,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.consumer = consumer
        self.holder = f"{socket.gethostname()[:100]}:{os.getpid()}:{uuid.uuid4().hex}"
        self._settings = settings
        self._after = after
        self._once = once
        self._waits = waits
        self._sleep = sleep
        self._random = Random()
        self._database = router.db_for_write(EventCursor)
        self._rows = EventCursor.objects.using(self._database).filter(name=consumer)
        self._is_stopping = False
        self._is_waiting = False
        self._cursor = ""
        self._done: list[str] = []
        #: The IDs of the events of the transaction in progress, or of the last one.
        self._attempt: list[str] = []
        self._stored_at = 0.0

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
        failures = 0
        try:
            while not self._is_stopping:
                try:
                    self._acquire()
                    failures = 0
                    self._follow()
                    if self._once:
                        return
                except Taken:
                    if not self._waits:
                        raise
                    self._pause(min(1.0, self._settings.lease_seconds / 4))
                except DatabaseError as error:
                    failures += 1
                    pause = self._back_off(failures)
                    logger.warning("the database of the cursor fails (%s); next attempt in %.1f s", error, pause)
                    close_old_connections()
                    self._pause(pause)
        except Stopped:
            pass
        finally:
            self._release()

    def restart(self, after: str) -> None:
        """Discards the stored cursor, and begins at another one.

        :raises Taken: another process follows
        """
        self._acquire()
        self._store(after, [])

    # The row

    def _acquire(self) -> None:
        EventCursor.objects.using(self._database).get_or_create(name=self.consumer)
        now = timezone.now()
        is_free = Q(holder="") | Q(holder=self.holder) | Q(held_until__isnull=True) | Q(held_until__lt=now)
        if not self._rows.filter(is_free).update(holder=self.holder, held_until=self._end_of_lease()):
            row = self._rows.get()
            raise Taken(f"{row.holder.rpartition(':')[0]} follows for the consumer {self.consumer}")
        self._read()

    def _read(self) -> EventCursor:
        row = self._rows.get()
        if row.holder != self.holder:
            raise Taken(f"{row.holder.rpartition(':')[0]} has taken the place of this process")
        self._cursor, self._done = row.cursor or self._after, list(row.done)
        return row

    def _store(self, cursor: str, done: list[str]) -> None:
        now = timezone.now()
        count = self._rows.filter(holder=self.holder).update(
            cursor=cursor, done=done, held_until=self._end_of_lease(), problem="", changed_at=now
        )
        if not count:
            raise Taken("another process has taken the place of this one")

    def _renew(self, **fields: object) -> None:
        if not self._rows.filter(holder=self.holder).update(held_until=self._end_of_lease(), **fields):
            raise Taken("another process has taken the place of this one")

    def _release(self) -> None:
        try:
            self._rows.filter(holder=self.holder).update(holder="", held_until=None)
        except DatabaseError as error:
            logger.warning("the consumer %s was not released (%s); it is after its lease", self.consumer, error)

    def _end_of_lease(self) -> object:
        return timezone.now() + timedelta(seconds=self._settings.lease_seconds)

    # The stream

    def _follow(self) -> None:
        batches = clients.client().all_events(
            after=self._cursor,
            follow=not self._once,
            kinds=handlers.kinds_of(self.consumer),
            idle=self._settings.lease_seconds / 3,
            on_wait=_report,
        )
        with closing(batches):
            while not self._is_stopping:
                batch = self._next(batches)
                if batch is None:
                    return
                self._apply(batch)

    def _next(self, batches: Generator[EventBatch, None, None]) -> EventBatch | None:
        with _Waiting(self):
            return next(batches, None)

    def _apply(self, batch: EventBatch) -> None:
        if not batch.events:
            self._pass(batch)
            return
        failures, has_failed = 0, False
        while left := self._left_of(batch):
            # Alone, an event that fails holds up no other one before it.
            size = 1 if has_failed else self._settings.events_per_transaction
            if self._cursor == "end":
                # The end is elsewhere when the process begins again, so there is no place in this batch to return to.
                size = len(left)
            try:
                self._commit(batch, left, size)
                failures = 0
            except Taken:
                raise
            except Exception as error:
                has_failed, failures = True, failures + 1
                if self._recover(batch, len(left), error, failures):
                    failures = 0
            if self._cursor == batch.cursor:
                return
            if self._is_stopping:
                raise Stopped
        self._move(batch)

    def _left_of(self, batch: EventBatch) -> list[StoredEvent]:
        done = set(self._done)
        return [stored for stored in batch.events if stored.id not in done]

    def _done_after(self, batch: EventBatch) -> list[str]:
        """The IDs that are still needed after a batch: the batches of another connection may be shorter."""
        passed = {stored.id for stored in batch.events}
        return [] if batch.is_end else [id for id in self._done if id not in passed]

    def _commit(self, batch: EventBatch, left: Sequence[StoredEvent], size: int) -> None:
        """Handles up to ``size`` events of a batch in one transaction, and fewer if they take long.

        :param left: the events of the batch that are not done
        """
        self._attempt = []
        is_divisible = self._cursor != "end"
        began = time.monotonic()
        with transaction.atomic(using=self._database, durable=True):
            self._renew()
            for stored in left[:size]:
                self._attempt.append(stored.id)
                handle(self.consumer, stored)
                if is_divisible and (self._is_stopping or time.monotonic() - began >= _TRANSACTION):
                    break
            is_last = len(self._attempt) == len(left)
            cursor = batch.cursor if is_last else self._cursor
            done = self._done_after(batch) if is_last else [*self._done, *self._attempt]
            self._store(cursor, done)
        self._cursor, self._done = cursor, done
        self._stored_at = time.monotonic()

    def _pass(self, batch: EventBatch) -> None:
        """Moves the cursor, or shows that this process lives, where no event is of interest."""
        if batch.cursor == self._cursor:
            self._renew()
        elif batch.is_end or time.monotonic() - self._stored_at >= _QUIET:
            self._move(batch)

    def _move(self, batch: EventBatch) -> None:
        done = self._done_after(batch)
        self._store(batch.cursor, done)
        self._cursor, self._done = batch.cursor, done
        self._stored_at = time.monotonic()

    # Errors

    def _recover(self, batch: EventBatch, left: int, error: Exception, failures: int) -> bool:
        """Reads the row again, and waits. Returns whether the transaction was committed.

        :param left: the number of events of the batch that were not done
        """
        close_old_connections()
        before, row = self._cursor, self._read()
        attempt = self._attempt
        is_last = len(attempt) == left and row.cursor == batch.cursor != before
        if attempt and (is_last or set(attempt) <= set(row.done)):
            logger.error("after the commit of the events %s: %r", ", ".join(attempt), error, exc_info=error)
            return True
        id = attempt[-1] if attempt else "none"
        # The first repetition of several events only tells which one fails.
        pause = self._back_off(failures) if failures > 1 or len(attempt) <= 1 else 0.0
        message = "a handler of %s refuses the event %s (attempt %d); next attempt in %.1f s"
        logger.error(message, self.consumer, id, failures, pause, exc_info=error)
        self._renew(problem=f"{id}: {error!r}"[:_PROBLEM])
        if not self._skip(row, batch) and pause:
            self._pause(pause)
        return False

    def _skip(self, row: EventCursor, batch: EventBatch) -> bool:
        """Marks events as done that an operator wants to skip. Returns whether there were any."""
        ids = {stored.id for stored in batch.events} & set(row.skipped) - set(row.done)
        if not ids:
            return False
        logger.warning("skips the events %s, as wanted", ", ".join(sorted(ids)))
        self._done = [*row.done, *sorted(ids)]
        self._renew(done=self._done, skipped=[id for id in row.skipped if id not in ids])
        return True

    def _back_off(self, failures: int) -> float:
        return min(LONGEST_PAUSE, self._settings.lease_seconds / 2, wait_before(failures, "back-off", self._random))

    def _pause(self, seconds: float) -> None:
        with _Waiting(self):
            self._sleep(seconds)


class _Waiting:
    """The time in which a signal may end a wait at once."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    def __enter__(self) -> None:
        self._follower._is_waiting = True
        if self._follower._is_stopping:
            self._follower._is_waiting = False
            raise Stopped

    def __exit__(self, *_: object) -> None:
        self._follower._is_waiting = False


def handle(consumer: str, stored: StoredEvent) -> list[str]:
    """Passes an event to its handlers, in the order of their registration. Returns their names."""
    if isinstance(stored.event, UnknownEvent) and stored.type in EVENT_TYPES:
        logger.warning("the event %s of the type %s cannot be read, and is an UnknownEvent", stored.id, stored.type)
    called = []
    for handler in handlers.handlers_of(consumer, stored.event):
        handler.function(stored.event, stored.id)
        called.append(handler.name)
    return called


def _report(error: ParleyError, pause: float) -> None:
    logger.warning("Parley cannot be followed (%s); next attempt in %.1f s", error, pause)
