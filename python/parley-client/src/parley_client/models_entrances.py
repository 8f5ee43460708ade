"""The values of invitations, requests and links."""

from __future__ import annotations

from dataclasses import dataclass

from .models import Thread, User


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation to a thread, as its moderators see it. Times are in milliseconds since 1970."""

    thread_id: str
    user: User
    by: User
    since_ms: int
    text: str | None = None
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class MyInvitation:
    """An invitation to me. ``thread`` has an ID, a title, a kind and a visibility only."""

    thread: Thread
    by: User
    since_ms: int
    text: str | None = None
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class EntranceRequest:
    """The wish of a user to come into a thread, as its moderators see it."""

    thread_id: str
    user: User
    since_ms: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class MyRequest:
    """My wish to come into a thread. A refused one looks the same until ``until_ms``."""

    thread_id: str
    since_ms: int
    until_ms: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link into a thread. Only :meth:`Rest.create_link` returns its ``code``. ``None`` is no end, or no limit."""

    id: str
    thread_id: str
    by_id: str
    since_ms: int
    used: int
    until_ms: int | None = None
    uses: int | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The thread of a link, and how many members it has. ``thread_id`` is known to members only."""

    title: str
    kind: str
    visibility: str
    members: int
    is_member: bool
    thread_id: str | None = None
