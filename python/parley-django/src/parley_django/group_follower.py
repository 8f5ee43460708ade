"""Follows the stream of events as a worker of a group, whose place the server keeps.

- **One worker at a time.** The server gives one worker the lease of the group. The others wait, and one of them takes
  over: at once when the process has ended, within 30 seconds when its machine has failed.
- **Each event at least once.** A part of the stream is acknowledged when the handlers have had all of its events. Those
  of a part that was not finished are handled again by the next worker, also if their transactions were committed.
- **In order.** An event that a handler refuses is repeated until it succeeds, and the events after it wait. A worker
  that was replaced in the meantime leaves its part, at the latest after ``_CHECK`` seconds and its present event.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing

from django.db import Error as DatabaseError
from django.db import close_old_connections, transaction
from django.utils import timezone

from parley_client import EventBatch, ParleyError, StoredEvent, worker_name

from . import clients, handlers
from .conf import Settings
from .following import PROBLEM, Following, Stopped, Taken, handle, is_due, logger, report
from .models import EventCursor

#: The seconds of a part after which the worker asks whether it still has the group.
_CHECK = 10.0
#: The seconds that a part may take after the process was asked to end.
_GRACE = 5.0


class _Replaced(Exception):
    """Another worker has the group."""


def row_name(group: str) -> str:
    """The name of the row with the last error of a group, and the events that an operator wants to skip."""
    return f"group:{group}"


class GroupFollower(Following):
    """Follows for one group. All of its workers need the same handlers.

    :param worker: a name that no other process has; the host and the ID of this process if ``None``
    """

    def __init__(
        self,
        group: str,
        consumer: str,
        settings: Settings,
        *,
        worker: str | None = None,
        after: str = "start",
        once: bool = False,
        waits: bool = True,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        super().__init__(consumer, settings, after, once, waits, sleep)
        self.group = group
        self.worker = worker or worker_name()
        self._rows = EventCursor.objects.using(self._database).filter(name=row_name(group))
        self._stopped_at = 0.0
        #: The place up to which this process has handled everything.
        self._handled: str | None = None
        self._turn = ""

    def stop(self) -> None:
        """Ends :meth:`run` after the part that is in progress, or 5 seconds.

        :raises Stopped: in the middle of a wait, which it ends
        """
        self._stopped_at = time.monotonic()
        super().stop()

    def run(self) -> None:
        try:
            while not self._is_stopping:
                try:
                    self._follow()
                    if self._once:
                        return
                except _Replaced as error:
                    logger.warning("%s; the events of this part are handled again", error)
        except Stopped:
            pass
        if self._handled is not None:
            # The part that was handled last is acknowledged with the next one otherwise.
            self._acknowledge(self._handled)

    def restart(self, after: str) -> None:
        try:
            clients.client().move_event_group(self.group, after)
        except ParleyError as error:
            if error.code != "not_found":
                raise
            self._after = after

    def _acknowledge(self, cursor: str) -> None:
        try:
            clients.client().acknowledge_events(self.group, cursor, worker=self.worker)
        except ParleyError as error:
            logger.warning("the last events of %s are not acknowledged (%s), and are handled again", self.group, error)

    # The stream

    def _follow(self) -> None:
        batches = clients.client().all_events(
            after=self._after,
            follow=not self._once,
            kinds=handlers.kinds_of(self.consumer),
            group=self.group,
            worker=self.worker,
            on_wait=self._report,
        )
        with closing(batches):
            while not self._is_stopping:
                batch = self._next(batches)
                # What was handled before is acknowledged now.
                self._handled, self._turn = None, ""
                if batch is None:
                    return
                self._apply(batch)
                self._handled = batch.cursor

    def _report(self, error: ParleyError, pause: float) -> None:
        if error.code != "conflict":
            report(error, pause)
            return
        if not self._waits:
            raise Taken(error.message)
        if error.message != self._turn:
            self._turn = error.message
            logger.warning("waits for the group %s (%s)", self.group, error.message)

    def _apply(self, batch: EventBatch) -> None:
        left, failures, has_failed = list(batch.events), 0, False
        checked = time.monotonic()
        while left:
            if self._is_stopping and (failures or time.monotonic() - self._stopped_at >= _GRACE):
                raise Stopped
            if time.monotonic() - checked >= _CHECK:
                self._check()
                checked = time.monotonic()
            # Alone, an event that fails holds up no other one before it.
            error = self._commit(left[: 1 if has_failed else self._settings.events_per_transaction])
            if error is None:
                del left[: len(self._attempt)]
                failures = 0
            else:
                has_failed, failures = True, failures + 1
                left = self._recover(left, error, failures)

    def _commit(self, events: Sequence[StoredEvent]) -> Exception | None:
        """Handles events in one transaction, and fewer if they take long. Returns why they have to be handled again."""
        self._attempt = []
        is_committed: list[bool] = []
        began = time.monotonic()
        try:
            with transaction.atomic(using=self._database, durable=True):
                # The first function after the commit, since a later one may raise an error.
                transaction.on_commit(lambda: is_committed.append(True), using=self._database)
                for stored in events:
                    self._attempt.append(stored.id)
                    handle(self.consumer, stored)
                    if is_due(began):
                        break
                # Another worker may have stored it.
                self._rows.exclude(problem="").update(problem="", changed_at=timezone.now())
        except Exception as error:
            close_old_connections()
            if not is_committed:
                return error
            logger.error("after the commit of the events %s: %r", ", ".join(self._attempt), error, exc_info=error)
        return None

    def _check(self) -> None:
        """
        :raises _Replaced: another worker has the group, or it was moved or deleted
        """
        try:
            found = [each.worker for each in clients.client().event_groups() if each.name == self.group]
        except ParleyError as error:
            # Without an answer, nothing is known; events are handled again at worst.
            logger.warning("the worker of the group %s is not known (%s)", self.group, error)
            return
        if found != [self.worker]:
            raise _Replaced(f"{found[0] if found and found[0] else 'another worker'} reads for the group {self.group}")

    # Errors

    def _recover(self, left: list[StoredEvent], error: Exception, failures: int) -> list[StoredEvent]:
        """Stores the error, and waits. Returns the events that no operator wants to skip."""
        id, pause = self._report_refusal(error, failures)
        try:
            rest = self._unskipped(left, f"{id}: {error!r}"[:PROBLEM])
        except DatabaseError as database:
            logger.warning("the error is not stored (%s)", database)
            close_old_connections()
            rest = left
        if len(rest) == len(left) and pause:
            self._pause(pause)
        return rest

    def _unskipped(self, left: list[StoredEvent], problem: str) -> list[StoredEvent]:
        """Stores an error for Django's admin. Returns the events that no operator wants to skip."""
        values = {"holder": self.worker, "problem": problem, "changed_at": timezone.now()}
        rows = EventCursor.objects.using(self._database)
        row, _ = rows.update_or_create(name=row_name(self.group), defaults=values)
        skipped = {stored.id for stored in left} & set(row.skipped)
        if skipped:
            logger.warning("skips the events %s, as wanted", ", ".join(sorted(skipped)))
            row.skipped = [id for id in row.skipped if id not in skipped]
            row.save(using=self._database, update_fields=["skipped"])
        return [stored for stored in left if stored.id not in skipped]
