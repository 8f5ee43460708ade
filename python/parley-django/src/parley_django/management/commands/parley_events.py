from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import router, transaction

from parley_client import CursorRolledBack, ParleyError
from parley_django import conf, handlers
from parley_django.follower import Follower
from parley_django.following import Following, Taken
from parley_django.group_follower import GroupFollower, row_name
from parley_django.models import EventCursor

#: A name of a group or a worker.
_NAME = re.compile(r"[A-Za-z0-9._-]{1,60}")
#: The most events that wait to be skipped.
_SKIPPED = 100


class Command(BaseCommand):
    help = (
        "Passes the events of Parley to the handlers of this site, from where the last run ended, until SIGTERM. "
        "Each change of the database happens once, or with --group at least once. A second process waits until the "
        "first one ends."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--consumer", default=handlers.DEFAULT, help="the consumer, as in on_event(…, consumer=…)")
        parser.add_argument(
            "--group",
            metavar="NAME",
            help="follow as a worker of this group, whose place the server keeps: events may come again after a kill",
        )
        parser.add_argument(
            "--worker", metavar="NAME", help="the name of this process in its group; its host and ID without one"
        )
        parser.add_argument("--once", action="store_true", help="end after the newest event")
        parser.add_argument("--no-wait", action="store_true", help="end with an error if another process follows")
        place = parser.add_mutually_exclusive_group()
        place.add_argument(
            "--after",
            metavar="PLACE",
            default="start",
            help="where a consumer without a stored cursor begins: start, end (events from now on) or a cursor",
        )
        place.add_argument("--restart", metavar="PLACE", help="discard the stored cursor, and begin there")
        place.add_argument("--skip", metavar="ID", help="pass the event with this ID, which a handler refuses, and end")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            settings = conf.load()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        consumer: str = options["consumer"]
        if not list(handlers.handlers_of(consumer)):
            known = ", ".join(handlers.consumers()) or "none"
            raise CommandError(
                f"The consumer {consumer} has no handlers; those with handlers: {known}. "
                "Handlers are functions with @on_event(…) in the module parley_handlers of an app."
            )
        group: str | None = options["group"]
        for option in ("group", "worker"):
            if options[option] is not None and not _NAME.fullmatch(options[option]):
                allowed = "1 to 60 characters of A-Z, a-z, 0-9, dot, underscore and hyphen"
                raise CommandError(f"--{option} is {options[option]!r}. Allowed are {allowed}.")
        if options["worker"] is not None and group is None:
            raise CommandError("--worker needs --group.")
        if options["skip"]:
            self._skip(consumer, group, options["skip"])
            return
        common = {"after": options["after"], "once": options["once"], "waits": not options["no_wait"]}
        follower: Following
        if group is None:
            follower, what = Follower(consumer, settings, **common), f"the consumer {consumer}"
        else:
            follower = GroupFollower(group, consumer, settings, worker=options["worker"], **common)
            what = f"the consumer {consumer}, as the worker {follower.worker} of the group {group}"
        kinds = ", ".join(handlers.kinds_of(consumer)) or "all kinds"
        self.stdout.write(f"Following the events of {settings.url} ({kinds}) for {what}.")
        try:
            with _signals(follower):
                if options["restart"]:
                    follower.restart(options["restart"])
                follower.run()
        except Taken as error:
            raise CommandError(f"{error}.") from error
        except CursorRolledBack as error:
            raise CommandError(
                "Parley's database does not have the stored place: it was restored to an earlier state, or is another "
                "one. Some events that were handled do not exist any longer, and others may have taken their places. "
                "Compare what the handlers have written with the history; then --restart start handles all events "
                "again, and --restart end only those from now on."
            ) from error
        except ParleyError as error:
            raise CommandError(f"The events cannot be read: {error}.") from error

    def _skip(self, consumer: str, group: str | None, id: str) -> None:
        database = router.db_for_write(EventCursor)
        with transaction.atomic(using=database):
            rows = EventCursor.objects.using(database)
            if group is not None:
                # A row of a group is made by the first error.
                rows.get_or_create(name=row_name(group))
            row = rows.select_for_update().filter(name=consumer if group is None else row_name(group)).first()
            if row is None:
                raise CommandError(f"The consumer {consumer} has not begun.")
            if len(row.skipped) >= _SKIPPED:
                raise CommandError(f"{_SKIPPED} events wait to be skipped, which is the limit.")
            if id not in row.skipped:
                row.skipped = [*row.skipped, id]
                row.save(using=database, update_fields=["skipped"])
        self.stdout.write(f"The event {id} will be passed at the next attempt.")


@contextmanager
def _signals(follower: Following) -> Iterator[None]:
    """SIGTERM and SIGINT end the follower after its transaction; the second one ends the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = (signal.SIGTERM, signal.SIGINT)

    def end(number: int, frame: FrameType | None) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_DFL)
        follower.stop()

    before = [signal.signal(each, end) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
