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

import os
import socket
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta

from django.db import Error as DatabaseError
from django.db import close_old_connections, transaction
from django.db.models import Q
from django.utils import timezone

from parley_client import EventBatch, StoredEvent

from . import clients, handlers
from .conf import Settings
from .following import PROBLEM, Following, Stopped, Taken, handle, is_due, logger, report
from .models import EventCursor

#: The seconds between two writes of a cursor that has passed no event of interest.
_QUIET = 1.0


class Follower(Following):
    """Follows for one consumer, whose place is in the database of this site."""

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
        super().__init__(consumer, settings, after, once, waits, sleep)
        self.holder = f"{socket.gethostname()[:100]}:{os.getpid()}:{uuid.uuid4().hex}"
        self._rows = EventCursor.objects.using(self._database).filter(name=consumer)
        self._cursor = ""
        self._done: list[str] = []
        self._stored_at = 0.0

    def run(self) -> None:
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
            on_wait=report,
        )
        with closing(batches):
            while not self._is_stopping:
                batch = self._next(batches)
                if batch is None:
                    return
                self._apply(batch)

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
                if is_divisible and (self._is_stopping or is_due(began)):
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
        id, pause = self._report_refusal(error, failures)
        self._renew(problem=f"{id}: {error!r}"[:PROBLEM])
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
