"""The same for code without ``async``: management commands, views, workers."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Self, TypeVar

from . import client as asynchronous
from . import models as m
from . import rest as asynchronous_rest
from .credentials import Credentials
from .errors import ParleyError
from .models import JSON, History, Message, Part, Position, Receipt, Role, SanctionKind, Thread, Visibility
from .portal import portal as _portal
from .rest_admin import BATCH_RECORDS as _BATCH_RECORDS
from .rest_admin import merged as _merged
from .sync_entrances import EntranceCalls
from .sync_events import EventCalls

T = TypeVar("T")


#: Held while connections of a process are made. A fork may happen in between, and gets its own.
_making = threading.RLock()


def _forked() -> None:
    global _making
    _making = threading.RLock()


os.register_at_fork(after_in_child=_forked)


def _close(pid: int, rest: asynchronous_rest.Rest) -> None:
    """Closes connections when their facade is released, and at the end of the process."""
    if pid == os.getpid():
        with suppress(ParleyError, TimeoutError):
            _portal.finish(rest.close(), timeout=3)


class Rest(EntranceCalls, EventCalls):
    """The calls of :class:`parley_client.Rest`, which describes them.

    One object may be used by all threads of a process, and by its forks: ``with Rest(…) as rest``, or one for the
    whole process, which needs no end.

    :param url: the server
    :param credentials: a function that makes them is called once for each process
    """

    def __init__(self, url: str, credentials: Credentials | Callable[[], Credentials] | None) -> None:
        def make() -> asynchronous_rest.Rest:
            return asynchronous_rest.Rest(url, credentials() if callable(credentials) else credentials)

        self._make: Callable[[], asynchronous_rest.Rest] = make
        self._is_root = True
        self._end: Callable[[], object] = lambda: None
        self._made: tuple[int, asynchronous_rest.Rest] | None = None

    @property
    def _rest(self) -> asynchronous_rest.Rest:
        with _making:
            made = self._made
            if made is None or made[0] != os.getpid():
                made = self._made = (os.getpid(), self._make())
                if self._is_root:
                    self._end = weakref.finalize(self, _close, *made)
            return made[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session that a password began, and the connections. The next call opens others."""
        self._made = None
        self._end()

    def as_user(self, user: str) -> Rest:
        other = Rest.__new__(Rest)
        other._is_root, other._end, other._made = False, lambda: None, None
        other._make = lambda: self._rest.as_user(user)
        return other

    def sign_up(self, username: str, password: str) -> m.User:
        return _portal.run(self._rest.sign_up(username, password))

    def me(self) -> m.User:
        return _portal.run(self._rest.me())

    def update_me(self, *, display_name: str | None = None, avatar_url: str | None = None) -> m.User:
        return _portal.run(self._rest.update_me(display_name=display_name, avatar_url=avatar_url))

    def user(self, user_id: str) -> m.User:
        return _portal.run(self._rest.user(user_id))

    def users(self, prefix: str = "", *, limit: int = 30) -> list[m.User]:
        return _portal.run(self._rest.users(prefix, limit=limit))

    def ticket(self) -> m.Ticket:
        return _portal.run(self._rest.ticket())

    def threads(self) -> Iterator[Thread]:
        return _portal.iterate(self._rest.threads())

    def thread(self, thread_id: str) -> Thread:
        return _portal.run(self._rest.thread(thread_id))

    def room(self, title: str, *, visibility: Visibility | None = None, history: History | None = None) -> Thread:
        return _portal.run(self._rest.room(title, visibility=visibility, history=history))

    def direct(self, user: str) -> Thread:
        return _portal.run(self._rest.direct(user))

    def joinable(self, prefix: str = "", *, limit: int = 30) -> list[Thread]:
        return _portal.run(self._rest.joinable(prefix, limit=limit))

    def rename(self, thread: Thread | str, title: str) -> Thread:
        return _portal.run(self._rest.rename(thread, title))

    def set_visibility(self, thread: Thread | str, visibility: Visibility) -> Thread:
        return _portal.run(self._rest.set_visibility(thread, visibility))

    def delete_thread(self, thread: Thread | str) -> None:
        _portal.run(self._rest.delete_thread(thread))

    def members(self, thread: Thread | str) -> Iterator[m.Member]:
        return _portal.iterate(self._rest.members(thread))

    def add_member(self, thread: Thread | str, user: str, role: Role | None = None) -> m.Member:
        return _portal.run(self._rest.add_member(thread, user, role))

    def remove_member(self, thread: Thread | str, user: str) -> None:
        _portal.run(self._rest.remove_member(thread, user))

    def sanctions(self, thread: Thread | str) -> Iterator[m.Sanction]:
        return _portal.iterate(self._rest.sanctions(thread))

    def mute(
        self, thread: Thread | str, user: str, *, seconds: int | None = None, reason: str | None = None
    ) -> m.Sanction:
        return _portal.run(self._rest.mute(thread, user, seconds=seconds, reason=reason))

    def unmute(self, thread: Thread | str, user: str) -> None:
        _portal.run(self._rest.unmute(thread, user))

    def ban(
        self, thread: Thread | str, user: str, *, seconds: int | None = None, reason: str | None = None
    ) -> m.Sanction:
        return _portal.run(self._rest.ban(thread, user, seconds=seconds, reason=reason))

    def unban(self, thread: Thread | str, user: str) -> None:
        _portal.run(self._rest.unban(thread, user))

    def messages(
        self,
        thread: Thread | str,
        *,
        before_seq: int | None = None,
        after_seq: int | None = None,
        around_seq: int | None = None,
        at: str | int | None = None,
        limit: int = 30,
    ) -> m.Page:
        bounds = {"before_seq": before_seq, "after_seq": after_seq, "around_seq": around_seq}
        return _portal.run(self._rest.messages(thread, **bounds, at=at, limit=limit))

    def all_messages(self, thread: Thread | str, *, after_seq: int = 0) -> Iterator[Message]:
        return _portal.iterate(self._rest.all_messages(thread, after_seq=after_seq))

    def events(self, thread: Thread | str, *, after_seq: int = 0, limit: int = 100) -> list[m.LogEvent]:
        return _portal.run(self._rest.events(thread, after_seq=after_seq, limit=limit))

    def send(
        self,
        thread: Thread | str,
        text: str = "",
        *,
        parts: Iterable[Part] = (),
        reply_to: int | None = None,
        client_id: str | None = None,
    ) -> Receipt:
        return _portal.run(self._rest.send(thread, text, parts=parts, reply_to=reply_to, client_id=client_id))

    def edit(self, thread: Thread | str, message_id: str, text: str) -> Receipt:
        return _portal.run(self._rest.edit(thread, message_id, text))

    def delete(self, thread: Thread | str, message_id: str) -> None:
        _portal.run(self._rest.delete(thread, message_id))

    def react(self, thread: Thread | str, message_id: str, emoji: str, on: bool = True) -> None:
        _portal.run(self._rest.react(thread, message_id, emoji, on))

    def mark_read(self, thread: Thread | str, seq: int | None = None) -> int:
        return _portal.run(self._rest.mark_read(thread, seq))

    def search(self, words: str, *, thread: Thread | str | None = None, limit: int = 30) -> list[Message]:
        return _portal.run(self._rest.search(words, thread=thread, limit=limit))

    def import_records(self, records: Iterable[JSON]) -> m.ImportReport:
        # Django refuses queries in the thread of an event loop, so the records are read in the caller's.
        report, lines, left = m.ImportReport(), 0, iter(records)
        while batch := list(islice(left, _BATCH_RECORDS)):
            report = _merged(report, _portal.run(self._rest.import_records(batch)), lines)
            lines += len(batch)
        return report

    def create_user(self, username: str, *, password: str | None = None, id: str | None = None) -> m.User:
        return _portal.run(self._rest.create_user(username, password=password, id=id))

    def set_password(self, user: str, password: str) -> None:
        _portal.run(self._rest.set_password(user, password))

    def revoke_sessions(self, user: str) -> int:
        return _portal.run(self._rest.revoke_sessions(user))

    def create_room(self, title: str, *, id: str | None = None) -> Thread:
        return _portal.run(self._rest.create_room(title, id=id))

    def put_member(self, thread: Thread | str, user: str, role: Role | None = None) -> m.Member:
        return _portal.run(self._rest.put_member(thread, user, role))

    def take_member(self, thread: Thread | str, user: str) -> None:
        _portal.run(self._rest.take_member(thread, user))

    def list_sanctions(self, thread: Thread | str) -> Iterator[m.Sanction]:
        return _portal.iterate(self._rest.list_sanctions(thread))

    def put_sanction(
        self,
        thread: Thread | str,
        user: str,
        kind: SanctionKind,
        *,
        seconds: int | None = None,
        reason: str | None = None,
    ) -> m.Sanction:
        return _portal.run(self._rest.put_sanction(thread, user, kind, seconds=seconds, reason=reason))

    def take_sanction(self, thread: Thread | str, user: str, kind: SanctionKind) -> None:
        _portal.run(self._rest.take_sanction(thread, user, kind))

    def attachment_limits(self) -> JSON:
        return _portal.run(self._rest.attachment_limits())

    def upload(
        self,
        file: str | Path | bytes | IO[bytes],
        *,
        name: str | None = None,
        type: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> m.Attachment:
        return _portal.run(self._rest.upload(file, name=name, type=type, progress=progress))

    def attachment_state(self, attachment: m.Attachment) -> m.Attachment:
        return _portal.run(self._rest.attachment_state(attachment))

    def delete_attachment(self, attachment: m.Attachment | str) -> None:
        _portal.run(self._rest.delete_attachment(attachment))

    def download(self, file: m.Attachment | Part | str, path: str | Path) -> int:
        return _portal.run(self._rest.download(file, path))

    def content(self, file: m.Attachment | Part | str) -> Iterator[bytes]:
        return _portal.iterate(self._rest.content(file))


class Client:
    """The connection of :class:`parley_client.Client`: ``with Client(…) as client``.

    :param timeout: the seconds that each call may wait; ``None`` sets no limit
    """

    def __init__(
        self,
        url: str,
        credentials: Credentials,
        *,
        positions: Mapping[str, Position] | None = None,
        timeout: float | None = 30.0,
    ) -> None:
        self._timeout = timeout
        self._client = _portal.call(lambda: asynchronous.Client(url, credentials, positions=positions, timeout=timeout))

    def __enter__(self) -> Self:
        try:
            _portal.run(self._client.connect(timeout=self._timeout))
        except BaseException:
            _portal.run(self._client.close(timeout=0))
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _portal.run(self._client.close(timeout=5.0 if kind is None else 0.0))

    def close(self) -> None:
        _portal.run(self._client.close())

    @property
    def user(self) -> m.User | None:
        return self._client.user

    @property
    def threads(self) -> Mapping[str, Thread]:
        return _portal.call(lambda: dict(self._client.threads))

    def mute_of(self, thread: Thread | str) -> m.Mute | None:
        return _portal.call(lambda: self._client.mute_of(thread))

    @property
    def positions(self) -> dict[str, Position]:
        return _portal.call(lambda: self._client.positions)

    def _wait(self, start: Callable[[], Awaitable[T]]) -> T:
        async def work() -> T:
            return await start()

        return _portal.run(work(), self._timeout)

    def send(
        self,
        thread: Thread | str,
        text: str = "",
        *,
        parts: Iterable[Part] = (),
        reply_to: int | None = None,
        client_id: str | None = None,
    ) -> Receipt:
        """Sends a message, and waits until the server's database has it. After ``timeout`` it is still on its way."""
        return self._wait(lambda: self._client.send(thread, text, parts=parts, reply_to=reply_to, client_id=client_id))

    def edit(self, message: Message | Receipt, text: str) -> Receipt:
        return self._wait(lambda: self._client.edit(message, text))

    def delete(self, message: Message | Receipt) -> Receipt:
        return self._wait(lambda: self._client.delete(message))

    def react(self, message: Message | Receipt, emoji: str, on: bool = True) -> Receipt:
        return self._wait(lambda: self._client.react(message, emoji, on))

    def mark_read(self, thread: Thread | str, seq: int | None = None) -> None:
        _portal.call(lambda: self._client.mark_read(thread, seq))

    def typing(self, thread: Thread | str, on: bool = True) -> None:
        _portal.call(lambda: self._client.typing(thread, on))

    def join(self, title: str) -> Thread:
        return self._wait(lambda: self._client.join(title))

    def leave(self, thread: Thread | str) -> None:
        self._wait(lambda: self._client.leave(thread))

    def messages(self, thread: Thread | str | None = None, *, after: int | None = None) -> Iterator[Message]:
        """The messages of a thread, or of all, from now on, for ``for``; it waits for the next one without a limit."""
        return _portal.iterate(_portal.call(lambda: self._client.messages(thread, after=after)))

    def events(self, thread: Thread | str | None = None, *, after: int | None = None) -> Iterator[m.Event]:
        return _portal.iterate(_portal.call(lambda: self._client.events(thread, after=after)))

    def history(
        self, thread: Thread | str, *, before: int | None = None, after: int | None = None, limit: int = 30
    ) -> m.Page:
        return self._wait(lambda: self._client.history(thread, before=before, after=after, limit=limit))
