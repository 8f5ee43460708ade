"""The frames of the v1 dialect: commands as they are sent, and what the server sends besides events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from . import decoding
from .errors import MalformedAnswer
from .models import (
    JSON,
    BlocksChanged,
    EntrancesChanged,
    Event,
    MuteChanged,
    Part,
    Position,
    Presence,
    ReadBy,
    Thread,
    ThreadAdded,
    ThreadRemoved,
    TypingBy,
    User,
    UserChanged,
)

SUBPROTOCOL = "parley.v1"


def encode(command: JSON, ref: int | None = None) -> str:
    """The frame of a command.

    :raises ValueError: for a text with a lone surrogate, which UTF-8 cannot have.
    """
    frame = command if ref is None else {**command, "ref": ref}
    encoded = json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    encoded.encode()
    return encoded


def message(
    thread: str,
    text: str,
    *,
    client_id: str | None = None,
    ack: str | None = None,
    parts: Iterable[Part] = (),
    reply_to: int | None = None,
) -> JSON:
    optional = {
        "text": text or None,
        "client_id": client_id,
        "parts": [part.to_json() for part in parts] or None,
        "reply_to": reply_to,
        "ack": ack,
    }
    return {"message": {"id": thread} | {name: value for name, value in optional.items() if value is not None}}


def edit(thread: str, message_id: str, text: str) -> JSON:
    return {"edit": {"id": thread, "message_id": message_id, "text": text}}


def delete(thread: str, message_id: str) -> JSON:
    return {"delete": {"id": thread, "message_id": message_id}}


def react(thread: str, message_id: str, emoji: str, on: bool) -> JSON:
    return {"react": {"id": thread, "message_id": message_id, "emoji": emoji, "on": on}}


def read(thread: str, seq: int | None = None) -> JSON:
    return {"read": thread if seq is None else {"id": thread, "seq": seq}}


def typing(thread: str, on: bool) -> JSON:
    return {"typing": {"id": thread, "on": on}}


def resume(positions: Mapping[str, Position]) -> JSON:
    return {"resume": {"threads": {id: {"epoch": each.epoch, "seq": each.seq} for id, each in positions.items()}}}


def history(thread: str, *, before: int | None = None, after: int | None = None, limit: int | None = None) -> JSON:
    optional = {"before": before, "after": after, "limit": limit}
    return {"history": {"id": thread} | {name: value for name, value in optional.items() if value is not None}}


def join(title: str) -> JSON:
    return {"join": {"title": title}}


def leave(thread: str) -> JSON:
    return {"leave": {"id": thread}}


def watch(users: Iterable[str]) -> JSON:
    return {"watch": {"users": list(users)}}


def auth(token: str) -> JSON:
    return {"auth": {"token": token}}


def ping(value: int) -> JSON:
    return {"ping": value}


@dataclass(frozen=True, slots=True)
class Hello:
    """The first frame of a connection. ``ping_interval`` is in seconds, ``server_time`` in milliseconds since 1970."""

    user: User
    threads: tuple[Thread, ...]
    has_more: bool
    ping_interval: float
    frame_bytes: int
    ticket: str | None
    server_time: int | None


@dataclass(frozen=True, slots=True)
class ThreadState:
    """The ``state`` of a thread in ``resumed``."""

    state: str
    epoch: str | None = None
    from_seq: int = 1
    to_seq: int = 0


@dataclass(frozen=True, slots=True)
class Resumed:
    threads: Mapping[str, ThreadState]


@dataclass(frozen=True, slots=True)
class Behind:
    """The last of the events of each thread that were left out."""

    threads: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Bye:
    """The node drains. ``reconnect_after`` is in seconds."""

    reconnect_after: float
    ticket: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An ``ack``, a ``page``, a ``pong``, or an ``error`` without a ``ref``."""

    type: str


Frame = Hello | Resumed | Behind | Bye | Answer | Event


def decode(text: str) -> JSON | None:
    """A frame's object; ``None`` if the text is not a frame."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else None


def parse(fields: JSON) -> Frame | None:
    """The frame of an object; ``None`` for a frame of a later version, or one that lacks something."""
    try:
        return _parse(fields)
    except MalformedAnswer:
        return None


def _parse(fields: JSON) -> Frame | None:
    match fields["type"]:
        case "hello":
            return _hello(fields)
        case "ack" | "page" | "pong" | "error":
            return Answer(fields["type"])
        case "resumed":
            threads = decoding.object_of(fields, "threads")
            return Resumed({id: _state(each) for id, each in threads.items() if isinstance(each, dict)})
        case "behind":
            threads = decoding.object_of(fields, "threads")
            return Behind({id: decoding.number(each, "to") for id, each in threads.items()})
        case "bye":
            delay = decoding.number(fields, "reconnect_after_ms") / 1000
            return Bye(max(0.0, delay), decoding.maybe_text(fields, "ticket"))
        case "thread":
            thread = decoding.thread(decoding.object_of(fields, "thread"))
            return ThreadAdded(thread) if fields.get("op") == "added" else ThreadRemoved(thread.id)
        case _:
            return _event(fields)


def _event(fields: JSON) -> Event | None:
    match fields["type"]:
        case "read":
            return ReadBy(
                decoding.text(fields, "thread_id"),
                decoding.text(fields, "user_id"),
                decoding.number(fields, "read_seq"),
            )
        case "typing":
            thread_id, user_id = decoding.text(fields, "thread_id"), decoding.text(fields, "user_id")
            return TypingBy(thread_id, user_id, decoding.text(fields, "username"), fields.get("on") is True)
        case "presence":
            last_seen = decoding.maybe_number(fields, "last_seen")
            return Presence(decoding.text(fields, "user_id"), fields.get("online") is True, last_seen)
        case "mute":
            # A frame without the field tells nothing; `null` tells of an end.
            if "mute" not in fields:
                return None
            return MuteChanged(decoding.text(fields, "thread_id"), decoding.mute(fields))
        case "entrances":
            return EntrancesChanged(decoding.maybe_text(fields, "thread_id"))
        case "room":
            return decoding.room(decoding.text(fields, "thread_id"), decoding.object_of(fields, "room"))
        case "blocks":
            users = fields.get("blocks")
            if not isinstance(users, list):
                return None
            return BlocksChanged(tuple(each for each in users if isinstance(each, str)))
        case "user":
            return UserChanged(decoding.user(decoding.object_of(fields, "user")))
        case _:
            # Events of later versions have a place; other frames of later versions mean nothing here.
            return decoding.log_event(fields) if "seq" in fields else None


def _hello(fields: JSON) -> Hello:
    limits = fields.get("limits")
    interval = decoding.maybe_number(fields, "ping_interval_ms")
    time = fields.get("server_time")
    return Hello(
        user=decoding.user(decoding.object_of(fields, "user")),
        threads=tuple(decoding.thread(each) for each in decoding.objects(fields, "threads")),
        has_more=fields.get("more") is True,
        ping_interval=(interval or 25_000) / 1000,
        frame_bytes=(decoding.maybe_number(limits, "frame_bytes") if isinstance(limits, dict) else None) or 65_536,
        ticket=decoding.maybe_text(fields, "ticket"),
        server_time=time if isinstance(time, int) and not isinstance(time, bool) else None,
    )


def _state(fields: JSON) -> ThreadState:
    return ThreadState(
        state=decoding.text(fields, "state"),
        epoch=decoding.maybe_text(fields, "epoch"),
        from_seq=decoding.maybe_number(fields, "from") or 1,
        to_seq=decoding.maybe_number(fields, "to") or 0,
    )
