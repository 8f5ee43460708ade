"""Imports of the site's users and rooms into Parley."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from parley_client import ParleyError

from . import clients, conf

logger = logging.getLogger("parley_django")

Record = dict[str, Any]


def user_record(user: Any) -> Record:
    """A user, whose ID in Parley is the text of the primary key."""
    return {"user": {"id": str(user.pk), "username": user.get_username()}}


def room_record(id: str, title: str, *, visibility: str | None = None) -> Record:
    """A room.

    :param id: 1 to 90 characters of ``A-Z a-z 0-9 . _ -``: the name of its group, if the site uses Channels
    :param visibility: ``public``, ``unlisted`` or ``private``; that of Parley's settings if it is ``None``
    """
    fields = {"id": str(id), "title": title, "kind": "room"}
    return {"thread": fields if visibility is None else fields | {"visibility": visibility}}


def member_record(room_id: str, user: Any, *, role: str | None = None) -> Record:
    """A member of a room.

    :param role: ``owner``, ``moderator``, ``member`` or ``read_only``; ``member`` if it is ``None``
    """
    fields = {"thread": str(room_id), "user": f"id:{user.pk}"}
    return {"member": fields if role is None else fields | {"role": role}}


def all_records() -> Iterator[Record]:
    """All active users, and the rooms and records of the setting ``PARLEY``, each before what refers to it."""
    settings = conf.load()
    for user in get_user_model()._default_manager.filter(is_active=True).order_by("pk").iterator():
        yield user_record(user)
    if settings.rooms is not None:
        yield from _rooms(settings.rooms)
    if settings.records is not None:
        yield from settings.records()


def _rooms(rooms: conf.Rooms) -> Iterator[Record]:
    for room in rooms.model._default_manager.order_by("pk").iterator():
        id = str(getattr(room, rooms.id))
        yield room_record(id, getattr(room, rooms.title), visibility=rooms.visibility)
        if rooms.members is not None:
            for user in getattr(room, rooms.members).filter(is_active=True).order_by("pk").iterator():
                yield member_record(id, user)


def import_on_commit(*records: Record) -> None:
    """Imports records once the transaction is committed, so that Parley never has what the database lacks.

    An error is logged: the change of the site is committed. ``manage.py parley_import`` repeats it.
    """
    transaction.on_commit(lambda: _import(records))


def _import(records: tuple[Record, ...]) -> None:
    try:
        report = clients.client().import_records(records)
    except ParleyError:
        logger.exception("Parley has not imported %d records; `manage.py parley_import` repeats it", len(records))
        return
    for failure in report.errors:
        logger.error("Parley refuses the record %s: %s", records[failure.line - 1], failure.message)
