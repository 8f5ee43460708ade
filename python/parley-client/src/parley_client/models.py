"""The values that the server sends.

Unknown fields are ignored and kept nowhere, since later versions of the server add some.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = dict[str, Any]
Role = Literal["owner", "moderator", "member", "read_only"]
Visibility = Literal["public", "unlisted", "private"]
#: The part of the log that new members see.
History = Literal["all", "since_joining"]
SanctionKind = Literal["mute", "ban"]


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a thread's log. ``epoch`` changes only when the numbering starts over."""

    epoch: str
    seq: int


@dataclass(frozen=True, slots=True)
class User:
    id: str
    username: str
    display_name: str | None = None
    avatar_url: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a message: a text or GeoJSON as ``content``, a file by ``url``, or an uploaded file by ``attachment``.

    Texts, names and URLs are what the sender wrote. ``size`` is in bytes, ``duration_ms`` in milliseconds.
    """

    type: str | None = None
    content: Any = None
    url: str | None = None
    name: str | None = None
    size: int | None = None
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    attachment: str | None = None

    def to_json(self) -> JSON:
        names = ("type", "attachment", "content", "url", "name", "size", "width", "height", "duration_ms")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True, slots=True)
class Reaction:
    """Everyone who reacted with one emoji; ``users`` has the ids of at most 50 of them."""

    emoji: str
    count: int
    users: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogEvent:
    """An event of a thread's log. ``date_ms`` is in milliseconds since 1970."""

    thread_id: str
    epoch: str
    seq: int
    date_ms: int


@dataclass(frozen=True, slots=True)
class Message(LogEvent):
    """A message. One from history is in its current state: edited, with reactions, or deleted and empty.

    ``sender_display_name`` is ``None`` if it equals the username, ``sender_name``.
    """

    id: str
    text: str
    sender_id: str
    sender_name: str
    client_id: str | None = None
    parts: tuple[Part, ...] = ()
    reply_to: int | None = None
    edited_ms: int | None = None
    reactions: tuple[Reaction, ...] = ()
    is_deleted: bool = False
    is_erased: bool = False
    sender_display_name: str | None = None


@dataclass(frozen=True, slots=True)
class Edited(LogEvent):
    message_id: str
    message_seq: int
    text: str
    by_id: str


@dataclass(frozen=True, slots=True)
class Deleted(LogEvent):
    message_id: str
    message_seq: int
    by_id: str


@dataclass(frozen=True, slots=True)
class Reacted(LogEvent):
    message_id: str
    message_seq: int
    user_id: str
    emoji: str
    on: bool


@dataclass(frozen=True, slots=True)
class Joined(LogEvent):
    user_id: str
    username: str
    by_id: str


@dataclass(frozen=True, slots=True)
class Left(LogEvent):
    user_id: str
    username: str
    by_id: str


@dataclass(frozen=True, slots=True)
class Renamed(LogEvent):
    title: str
    by_id: str


@dataclass(frozen=True, slots=True)
class RoleChanged(LogEvent):
    user_id: str
    role: str
    by_id: str


@dataclass(frozen=True, slots=True)
class VisibilityChanged(LogEvent):
    """The room is ``public``, ``unlisted`` or ``private`` now."""

    visibility: str
    by_id: str


@dataclass(frozen=True, slots=True)
class AuditEvent(LogEvent):
    """A row of the audit log, in the stream of readers that ask for the kind ``audit``.

    It is in no log: ``epoch`` is empty and ``seq`` 0, and ``thread_id`` is empty without a thread. ``id`` is that of
    the row. ``actor`` has a ``kind`` and an ``id`` or a ``name``, and ``before`` and ``after`` what the action has
    changed.
    """

    id: str
    action: str
    actor: Mapping[str, Any] = field(compare=False)
    user_id: str | None = None
    reason: str | None = None
    before: Mapping[str, Any] | None = field(default=None, compare=False)
    after: Mapping[str, Any] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class UnseenMessage(LogEvent):
    """A recipient has not seen a message, in the stream of readers that ask for the kind ``unseen``.

    It is in no log: ``epoch`` is empty, and ``seq`` is that of the message. ``user_id`` is the recipient, and
    ``date_ms`` the time of the decision. ``unread`` and ``unread_total`` count the unread messages of the thread and of
    all threads at that time. ``is_quiet`` says that the recipient has quiet hours. A newer notification of the thread
    replaces one with the same ``collapse_key``.
    """

    user_id: str
    unread: int
    unread_total: int
    is_mention: bool
    is_quiet: bool
    collapse_key: str


@dataclass(frozen=True, slots=True)
class UnknownEvent(LogEvent):
    """An event of a later version; its place counts."""

    type: str
    fields: Mapping[str, Any] = field(compare=False)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as back ends read it. ``id`` is the same whenever the event is sent.

    ``event`` is as of now, as in history. ``type`` is the server's name of its kind, such as ``message``.
    """

    id: str
    type: str
    event: LogEvent


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events, and the cursor that follows them. ``is_end`` tells that these were the newest."""

    events: tuple[StoredEvent, ...]
    cursor: str
    is_end: bool


@dataclass(frozen=True, slots=True)
class ReadBy:
    """A member has read up to ``read_seq``. Not in the log."""

    thread_id: str
    user_id: str
    read_seq: int


@dataclass(frozen=True, slots=True)
class TypingBy:
    """A member types, or no longer does. Show it for 6 seconds. Not in the log."""

    thread_id: str
    user_id: str
    username: str
    on: bool


@dataclass(frozen=True, slots=True)
class Presence:
    """A watched user is there or not. ``last_seen`` is in seconds since 1970. Not in the log."""

    user_id: str
    online: bool
    last_seen: int | None


@dataclass(frozen=True, slots=True)
class UserChanged:
    """A user who shares a thread with me, or I, has another name or picture: ``user`` is as of now. Not in the log."""

    user: User


@dataclass(frozen=True, slots=True)
class RolledBack:
    """The thread's log has lost what was at and above ``from_seq``: discard it. What is there now follows."""

    thread_id: str
    from_seq: int


@dataclass(frozen=True, slots=True)
class Mute:
    """A moderator has muted me in a thread: I may read, but not write. Without ``until_ms`` it has no end of its own.

    ``until_ms`` is in milliseconds since 1970, by the server's clock, which sends nothing when the time is over.
    """

    until_ms: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MuteChanged:
    """My mute in a thread begins or is another one, or was ended early (``None``). Not in the log."""

    thread_id: str
    mute: Mute | None


@dataclass(frozen=True, slots=True)
class RoomChanged:
    """A room has another topic, picture, slow mode, archive or rights, or a direct thread is blocked. Not in the log.

    This is the whole present state. ``moderator_rights`` has ``write``, ``attach`` or ``mention`` if only the owner
    and the moderators may do it; ``slow_mode_seconds`` is 0 without slow mode. ``picture`` is the ID of an attachment.
    """

    thread_id: str
    topic: str | None = None
    is_archived: bool = False
    slow_mode_seconds: int = 0
    moderator_rights: frozenset[str] = frozenset()
    is_blocked: bool = False
    picture: str | None = None


@dataclass(frozen=True, slots=True)
class BlocksChanged:
    """I block other users than before; these are all of them. Not in the log."""

    user_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation as its member sees it. A direct thread's ``title`` is the other user's name."""

    id: str
    title: str
    kind: str
    role: str = ""
    epoch: str = ""
    seq: int = 0
    unread: int = 0
    read_seq: int = 0
    last_message: Message | None = None
    is_available: bool = True
    #: ``public``, ``unlisted`` or ``private``; empty from a server of an earlier version.
    visibility: str = ""
    #: My mute, as the server last told; :meth:`Client.mute_of` leaves out one whose time is over.
    mute: Mute | None = None
    #: The first ``seq`` that exists for me; ``None`` if I see everything.
    visible_from: int | None = None
    #: ``all`` or ``since_joining``: the part of the log that new members see. Empty if the answer does not tell.
    history: str = ""


@dataclass(frozen=True, slots=True)
class EntrancesChanged:
    """My invitations may have changed, or, with ``thread_id``, the requests and invitations of a thread that I
    moderate."""

    thread_id: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadAdded:
    """I am a member from now on."""

    thread: Thread


@dataclass(frozen=True, slots=True)
class ThreadRemoved:
    """I am no longer a member."""

    thread_id: str


Event = (
    LogEvent
    | ReadBy
    | TypingBy
    | Presence
    | UserChanged
    | MuteChanged
    | EntrancesChanged
    | RoomChanged
    | BlocksChanged
    | RolledBack
    | ThreadAdded
    | ThreadRemoved
)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The place of a command's event in the log. ``id`` is the message's, of a send."""

    thread_id: str
    epoch: str
    seq: int
    date_ms: int
    id: str | None = None
    client_id: str | None = None
    is_repeat: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a thread's log, or its messages, in ascending order of ``seq``."""

    events: tuple[LogEvent, ...]
    has_more_before: bool
    has_more_after: bool
    epoch: str
    head_seq: int

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(event for event in self.events if isinstance(event, Message))


@dataclass(frozen=True, slots=True)
class Member:
    thread_id: str
    user: User
    role: str


@dataclass(frozen=True, slots=True)
class Sanction:
    """A decision about a user in a room: a ``mute`` (reads, and does not write), or a ``ban`` (is removed, and may not
    return). Without ``until_ms`` it has no end. Times are in milliseconds since 1970."""

    thread_id: str
    user: User
    kind: str
    since_ms: int
    until_ms: int | None = None
    reason: str | None = None
    by_id: str | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file on the server. ``offset`` is the number of bytes that it has; messages may use a complete one."""

    id: str
    url: str
    name: str
    type: str
    size: int
    offset: int
    is_complete: bool
    sha256: str | None = None
    width: int | None = None
    height: int | None = None

    @property
    def part(self) -> Part:
        """The part of a message that shows this file."""
        return Part(attachment=self.id)


@dataclass(frozen=True, slots=True)
class Ticket:
    """One-time credentials for a socket, for a page that cannot send headers; valid for ``expires_in`` seconds."""

    ticket: str
    expires_in: int


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """A record that was not imported. ``line`` counts from 1, over everything that was passed to the import."""

    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The number of records that an import created; ``unchanged`` ones existed. ``errors`` has the first failures."""

    users: int = 0
    threads: int = 0
    members: int = 0
    unchanged: int = 0
    errors: tuple[ImportFailure, ...] = ()
    errors_omitted: int = 0
