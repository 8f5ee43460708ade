"""Reads the models from JSON.

Every function raises :class:`MalformedAnswer` if a required field is missing or of another type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import models as m
from . import models_entrances as e
from .errors import CursorRolledBack, MalformedAnswer, ParleyError
from .models import JSON


def text(fields: JSON, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise MalformedAnswer(f"{name} is no text")
    return value


def number(fields: JSON, name: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise MalformedAnswer(f"{name} is no integer")
    return value


def maybe_text(fields: JSON, name: str) -> str | None:
    return None if fields.get(name) is None else text(fields, name)


def maybe_number(fields: JSON, name: str) -> int | None:
    return None if fields.get(name) is None else number(fields, name)


def objects(fields: JSON, name: str) -> list[JSON]:
    value = fields.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise MalformedAnswer(f"{name} is no list of objects")
    return value


def object_of(fields: JSON, name: str) -> JSON:
    value = fields.get(name)
    if not isinstance(value, dict):
        raise MalformedAnswer(f"{name} is no object")
    return value


def user(fields: JSON) -> m.User:
    return m.User(
        id=text(fields, "id"),
        username=text(fields, "username"),
        display_name=maybe_text(fields, "display_name"),
        avatar_url=maybe_text(fields, "avatar_url"),
    )


def part(fields: JSON) -> m.Part:
    return m.Part(
        type=maybe_text(fields, "type"),
        content=fields.get("content"),
        url=maybe_text(fields, "url"),
        name=maybe_text(fields, "name"),
        size=maybe_number(fields, "size"),
        width=maybe_number(fields, "width"),
        height=maybe_number(fields, "height"),
        duration_ms=maybe_number(fields, "duration_ms"),
        attachment=maybe_text(fields, "attachment"),
    )


def reaction(fields: JSON) -> m.Reaction:
    users = fields.get("users", [])
    if not isinstance(users, list):
        raise MalformedAnswer("users is no list")
    return m.Reaction(text(fields, "emoji"), number(fields, "count"), tuple(str(each) for each in users))


def message(fields: JSON) -> m.Message:
    return m.Message(
        **place(fields),
        id=text(fields, "id"),
        text=text(fields, "text"),
        sender_id=text(fields, "sender_id"),
        sender_name=text(fields, "sender_name"),
        client_id=maybe_text(fields, "client_id"),
        parts=tuple(part(each) for each in objects(fields, "parts")),
        reply_to=maybe_number(fields, "reply_to"),
        edited_ms=maybe_number(fields, "edited_ms"),
        reactions=tuple(reaction(each) for each in objects(fields, "reactions")),
        is_deleted=fields.get("deleted") is True,
        is_erased=fields.get("erased") is True,
        sender_display_name=maybe_text(fields, "sender_display_name"),
    )


def place(fields: JSON) -> dict[str, Any]:
    return {
        "thread_id": text(fields, "thread_id"),
        "epoch": text(fields, "epoch"),
        "seq": number(fields, "seq"),
        "date_ms": number(fields, "date_ms"),
    }


_TARGET: dict[str, Callable[[JSON, str], Any]] = {"message_id": text, "message_seq": number}

#: The class of each event besides messages, with its fields.
_EVENTS: dict[str, tuple[type[m.LogEvent], dict[str, Callable[[JSON, str], Any]]]] = {
    "edited": (m.Edited, _TARGET | {"text": text, "by_id": text}),
    "deleted": (m.Deleted, _TARGET | {"by_id": text}),
    "reaction": (m.Reacted, _TARGET | {"user_id": text, "emoji": text, "on": lambda f, n: f.get(n) is True}),
    "joined": (m.Joined, {"user_id": text, "username": text, "by_id": text}),
    "left": (m.Left, {"user_id": text, "username": text, "by_id": text}),
    "renamed": (m.Renamed, {"title": text, "by_id": text}),
    "role": (m.RoleChanged, {"user_id": text, "role": text, "by_id": text}),
    "visibility": (m.VisibilityChanged, {"visibility": text, "by_id": text}),
}


#: The class of each type of event that this package knows.
EVENT_TYPES: dict[str, type[m.LogEvent]] = (
    {"message": m.Message}
    | {name: kind for name, (kind, _) in _EVENTS.items()}
    | {"audit": m.AuditEvent, "unseen": m.UnseenMessage}
)


def log_event(fields: JSON) -> m.LogEvent:
    """An event of a log. The place of one that cannot be read counts too: it is an ``UnknownEvent``."""
    kind = text(fields, "type")
    common = place(fields)
    try:
        if kind == "message":
            return message(fields)
        if kind in _EVENTS:
            event, readers = _EVENTS[kind]
            return event(**common, **{name: read(fields, name) for name, read in readers.items()})
    except MalformedAnswer:
        pass
    return m.UnknownEvent(**common, type=kind, fields=fields)


def audit_event(fields: JSON) -> m.AuditEvent:
    """A row of the audit log."""
    return m.AuditEvent(
        thread_id=_text_or(fields, "thread_id"),
        epoch="",
        seq=0,
        date_ms=number(fields, "at_ms"),
        id=text(fields, "id"),
        action=text(fields, "action"),
        actor=object_of(fields, "actor"),
        user_id=maybe_text(fields, "user_id"),
        reason=maybe_text(fields, "reason"),
        before=object_of(fields, "before") if "before" in fields else None,
        after=object_of(fields, "after") if "after" in fields else None,
    )


def unseen_message(fields: JSON) -> m.UnseenMessage:
    """A message that its recipient has not seen."""
    unread = object_of(fields, "unread")
    return m.UnseenMessage(
        thread_id=text(fields, "thread_id"),
        epoch="",
        seq=number(fields, "seq"),
        date_ms=number(fields, "at_ms"),
        user_id=text(fields, "user_id"),
        unread=number(unread, "thread"),
        unread_total=number(unread, "total"),
        is_mention=fields.get("mention") is True,
        is_quiet=fields.get("quiet") is True,
        collapse_key=text(fields, "collapse_key"),
    )


#: The rows of tables in the stream, by their types.
_ROWS: dict[str, Callable[[JSON], m.LogEvent]] = {"audit": audit_event, "unseen": unseen_message}


def stored_event(fields: JSON) -> m.StoredEvent:
    """An event of the stream for back ends. One that has no place in a log is an ``UnknownEvent`` at seq 0."""
    content = object_of(fields, "event")
    kind = text(content, "type")
    try:
        event = _ROWS.get(kind, log_event)(content)
    except MalformedAnswer:
        event = m.UnknownEvent(
            thread_id=_text_or(content, "thread_id"),
            epoch=_text_or(content, "epoch"),
            seq=0,
            date_ms=0,
            type=kind,
            fields=content,
        )
    return m.StoredEvent(text(fields, "id"), kind, event)


def _text_or(fields: JSON, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def error_line(fields: JSON) -> ParleyError:
    """The error that ends an answer whose status was sent before."""
    code, message = text(fields, "code"), maybe_text(fields, "message") or ""
    kind = CursorRolledBack if code == "rolled_back" else ParleyError
    return kind(code, message, retryable=code in ("unavailable", "rate_limited", "internal"))


def mute(fields: JSON) -> m.Mute | None:
    """The ``mute`` of a frame or a thread, which is ``null`` or an object."""
    if fields.get("mute") is None:
        return None
    value = object_of(fields, "mute")
    return m.Mute(maybe_number(value, "until_ms"), maybe_text(value, "reason") or None)


def room(thread_id: str, fields: JSON) -> m.RoomChanged:
    """The present state of a room, in which a missing field has its default."""
    rights = fields.get("rights")
    rights = rights if isinstance(rights, dict) else {}
    return m.RoomChanged(
        thread_id=thread_id,
        topic=maybe_text(fields, "topic"),
        picture=maybe_text(fields, "picture"),
        is_archived=fields.get("archived") is True,
        slow_mode_seconds=maybe_number(fields, "slow_mode_seconds") or 0,
        moderator_rights=frozenset(
            right for right in ("write", "attach", "mention") if rights.get(right) == "moderators"
        ),
        is_blocked=fields.get("blocked") is True,
    )


def _mute_of_thread(fields: JSON) -> m.Mute | None:
    """The mute of a thread. A thread is useful without one that cannot be read."""
    try:
        return mute(fields)
    except MalformedAnswer:
        return None


def thread(fields: JSON) -> m.Thread:
    last = fields.get("last_message")
    return m.Thread(
        id=text(fields, "id"),
        title=text(fields, "title"),
        kind=text(fields, "kind"),
        role=maybe_text(fields, "role") or "",
        epoch=maybe_text(fields, "epoch") or "",
        seq=maybe_number(fields, "seq") or 0,
        unread=maybe_number(fields, "unread") or 0,
        read_seq=maybe_number(fields, "read_seq") or 0,
        last_message=message(last) if isinstance(last, dict) else None,
        is_available=fields.get("unavailable") is not True,
        visibility=maybe_text(fields, "visibility") or "",
        mute=_mute_of_thread(fields),
        visible_from=maybe_number(fields, "visible_from"),
        history=maybe_text(fields, "history") or "",
    )


def receipt(fields: JSON) -> m.Receipt:
    """The receipt of an ``ack``. An ack without a place has the place 0 of no epoch."""
    return m.Receipt(
        thread_id=maybe_text(fields, "thread_id") or "",
        epoch=maybe_text(fields, "epoch") or "",
        seq=maybe_number(fields, "seq") or 0,
        date_ms=maybe_number(fields, "date_ms") or 0,
        id=maybe_text(fields, "id"),
        client_id=maybe_text(fields, "client_id"),
        is_repeat=fields.get("repeat") is True,
    )


def page(fields: JSON, name: str = "events") -> m.Page:
    """A page of a socket's ``history``, or of REST, whose list is called ``name``."""
    return m.Page(
        events=tuple(log_event(each) for each in objects(fields, name)),
        has_more_before=fields.get("has_more_before") is True,
        has_more_after=fields.get("has_more_after") is True or fields.get("has_more") is True,
        epoch=maybe_text(fields, "epoch") or "",
        head_seq=number(fields, "head_seq"),
    )


def member(fields: JSON) -> m.Member:
    return m.Member(text(fields, "thread_id"), user(object_of(fields, "user")), text(fields, "role"))


def sanction(fields: JSON) -> m.Sanction:
    return m.Sanction(
        thread_id=text(fields, "thread_id"),
        user=user(object_of(fields, "user")),
        kind=text(fields, "kind"),
        since_ms=number(fields, "since_ms"),
        until_ms=maybe_number(fields, "until_ms"),
        reason=maybe_text(fields, "reason"),
        by_id=maybe_text(fields, "by_id"),
    )


def invitation(fields: JSON) -> e.Invitation:
    return e.Invitation(
        thread_id=text(fields, "thread_id"),
        user=user(object_of(fields, "user")),
        by=user(object_of(fields, "by")),
        since_ms=number(fields, "since_ms"),
        text=maybe_text(fields, "text"),
        until_ms=maybe_number(fields, "until_ms"),
    )


def my_invitation(fields: JSON) -> e.MyInvitation:
    return e.MyInvitation(
        thread=thread(object_of(fields, "thread")),
        by=user(object_of(fields, "by")),
        since_ms=number(fields, "since_ms"),
        text=maybe_text(fields, "text"),
        until_ms=maybe_number(fields, "until_ms"),
    )


def entrance_request(fields: JSON) -> e.EntranceRequest:
    requester = user(object_of(fields, "user"))
    return e.EntranceRequest(
        text(fields, "thread_id"), requester, number(fields, "since_ms"), maybe_text(fields, "text")
    )


def my_request(fields: JSON) -> e.MyRequest:
    since, until = number(fields, "since_ms"), number(fields, "until_ms")
    return e.MyRequest(text(fields, "thread_id"), since, until, maybe_text(fields, "text"))


def link(fields: JSON) -> e.Link:
    return e.Link(
        id=text(fields, "id"),
        thread_id=text(fields, "thread_id"),
        by_id=text(fields, "by_id"),
        since_ms=number(fields, "since_ms"),
        used=number(fields, "used"),
        until_ms=maybe_number(fields, "until_ms"),
        uses=maybe_number(fields, "uses"),
        code=maybe_text(fields, "code"),
    )


def link_target(fields: JSON) -> e.LinkTarget:
    target = object_of(fields, "thread")
    return e.LinkTarget(
        title=text(target, "title"),
        kind=text(target, "kind"),
        visibility=text(target, "visibility"),
        members=number(fields, "members"),
        is_member=fields.get("is_member") is True,
        thread_id=maybe_text(target, "id"),
    )


def attachment(fields: JSON) -> m.Attachment:
    return m.Attachment(
        id=text(fields, "id"),
        url=text(fields, "url"),
        name=text(fields, "name"),
        type=text(fields, "type"),
        size=number(fields, "size"),
        offset=number(fields, "offset"),
        is_complete=fields.get("complete") is True,
        sha256=maybe_text(fields, "sha256"),
        width=maybe_number(fields, "width"),
        height=maybe_number(fields, "height"),
    )
