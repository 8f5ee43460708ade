"""REST calls, for back ends, management commands and tools that need no socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from . import decoding
from .ids import uuid7
from .models import (
    History,
    LogEvent,
    Member,
    Message,
    Page,
    Part,
    Receipt,
    Role,
    Sanction,
    Thread,
    Ticket,
    User,
    Visibility,
)
from .rest_admin import AdminCalls
from .rest_base import sanction_fields, thread_path
from .rest_entrances import EntranceCalls
from .rest_events import EventCalls
from .rest_files import FileCalls
from .transport import escaped


class Rest(AdminCalls, EntranceCalls, EventCalls, FileCalls):
    """The calls of a user, or of a back end with an API key.

    ``{user}`` is an ID or a name everywhere; ``id:…`` and ``name:…`` force one. Every call raises
    :class:`ParleyError`. Use it as ``async with Rest(…) as rest``.
    """

    def as_user(self, user: str) -> Rest:
        """The calls of an API key, made as a user: ``await rest.as_user("id:7").send(room, "Hello")``.

        It shares the connections of this object, which alone has to be closed.
        """
        other = Rest(self._url, self._credentials, transport=self._transport, random=self._random)
        other._fields = {**self._fields, "X-Parley-User": user}
        return other

    # Users

    async def sign_up(self, username: str, password: str) -> User:
        """Creates an account. ``forbidden`` means that the name is taken."""
        content = {"username": username, "password": password}
        return decoding.user(await self.fetch("POST", "/auth/signup", content=content, is_repeatable=False))

    async def me(self) -> User:
        return decoding.user(await self.fetch("GET", "/v1/me"))

    async def update_me(self, *, display_name: str | None = None, avatar_url: str | None = None) -> User:
        """Changes my profile. ``None`` keeps a value, and an empty text removes it."""
        fields = {"display_name": display_name, "avatar_url": avatar_url}
        content = {name: value for name, value in fields.items() if value is not None}
        return decoding.user(await self.fetch("PATCH", "/v1/me", content=content))

    async def user(self, user_id: str) -> User:
        return decoding.user(await self.fetch("GET", f"/v1/users/{escaped(user_id)}"))

    async def users(self, prefix: str = "", *, limit: int = 30) -> list[User]:
        """Users whose names begin with ``prefix``, by name; at most 200."""
        answer = await self.fetch("GET", "/v1/users", query={"prefix": prefix, "limit": limit})
        return [decoding.user(each) for each in decoding.objects(answer, "users")]

    async def ticket(self) -> Ticket:
        """Credentials for one socket, for a page of mine, or of the user that an API key acts for."""
        answer = await self.fetch("POST", "/v1/tickets")
        return Ticket(decoding.text(answer, "ticket"), decoding.number(answer, "expires_in"))

    # Threads

    async def threads(self) -> AsyncIterator[Thread]:
        """My threads, most recent activity first."""
        async for each in self.list_of("/v1/threads", "threads", {}):
            yield decoding.thread(each)

    async def thread(self, thread_id: str) -> Thread:
        """A thread; an API key without a user gets no role, marks and counts."""
        return decoding.thread(await self.fetch("GET", thread_path(thread_id)))

    async def room(self, title: str, *, visibility: Visibility | None = None, history: History | None = None) -> Thread:
        """Joins the room with the title, or creates it.

        :param visibility: of a new room; that of the server's settings if ``None``
        :param history: the part of the log that new members of a new room see; ``all`` if ``None``
        """
        fields = {"title": title, "visibility": visibility, "history": history}
        content = {name: value for name, value in fields.items() if value is not None}
        return decoding.thread(await self.fetch("POST", "/v1/threads", content=content))

    async def direct(self, user: str) -> Thread:
        """The direct thread with a user."""
        return decoding.thread(await self.fetch("POST", "/v1/direct", content={"user": user}))

    async def joinable(self, prefix: str = "", *, limit: int = 30) -> list[Thread]:
        """Public rooms that I am not a member of, by title; at most 200."""
        answer = await self.fetch("GET", "/v1/threads/joinable", query={"prefix": prefix, "limit": limit})
        return [decoding.thread(each) for each in decoding.objects(answer, "threads")]

    async def rename(self, thread: Thread | str, title: str) -> Thread:
        return decoding.thread(await self.fetch("PATCH", thread_path(thread), content={"title": title}))

    async def set_visibility(self, thread: Thread | str, visibility: Visibility) -> Thread:
        """Changes who finds and joins a room; its owner only."""
        return decoding.thread(await self.fetch("PATCH", thread_path(thread), content={"visibility": visibility}))

    async def delete_thread(self, thread: Thread | str) -> None:
        """Deletes a room with its history; its owner only."""
        await self.call("DELETE", thread_path(thread))

    async def members(self, thread: Thread | str) -> AsyncIterator[Member]:
        async for each in self.list_of(thread_path(thread, "members"), "members", {"limit": 200}):
            yield decoding.member(each)

    async def add_member(self, thread: Thread | str, user: str, role: Role | None = None) -> Member:
        """Adds a user, or gives a member another role."""
        content = {"user": user} | ({"role": role} if role else {})
        return decoding.member(await self.fetch("POST", thread_path(thread, "members"), content=content))

    async def remove_member(self, thread: Thread | str, user: str) -> None:
        await self.call("DELETE", thread_path(thread, "members", user))

    # Mutes and bans, for owners and moderators

    async def sanctions(self, thread: Thread | str) -> AsyncIterator[Sanction]:
        """The mutes and bans of a room that are in force."""
        async for each in self.list_of(thread_path(thread, "sanctions"), "sanctions", {"limit": 200}):
            yield decoding.sanction(each)

    async def mute(
        self, thread: Thread | str, user: str, *, seconds: int | None = None, reason: str | None = None
    ) -> Sanction:
        """Lets a user read a room, but not write there, also one who is not a member. It replaces an earlier mute.

        :param seconds: the duration, at most ten years; ``None`` is until :meth:`unmute`
        :param reason: for the user, 1 to 500 characters
        """
        content = sanction_fields(seconds, reason)
        return decoding.sanction(
            await self.fetch("PUT", thread_path(thread, "sanctions", user, "mute"), content=content)
        )

    async def unmute(self, thread: Thread | str, user: str) -> None:
        """Ends a mute. ``not_found`` means that there is none."""
        await self.call("DELETE", thread_path(thread, "sanctions", user, "mute"))

    async def ban(
        self, thread: Thread | str, user: str, *, seconds: int | None = None, reason: str | None = None
    ) -> Sanction:
        """Removes a user from a room, who may not return before the end, with the parameters of :meth:`mute`."""
        content = sanction_fields(seconds, reason)
        return decoding.sanction(
            await self.fetch("PUT", thread_path(thread, "sanctions", user, "ban"), content=content)
        )

    async def unban(self, thread: Thread | str, user: str) -> None:
        """Ends a ban. ``not_found`` means that there is none."""
        await self.call("DELETE", thread_path(thread, "sanctions", user, "ban"))

    # Messages

    async def messages(
        self,
        thread: Thread | str,
        *,
        before_seq: int | None = None,
        after_seq: int | None = None,
        around_seq: int | None = None,
        at: str | int | None = None,
        limit: int = 30,
    ) -> Page:
        """A page of stored messages, the newest one without bounds; at most one bound may be given.

        :param at: RFC 3339 or milliseconds since 1970; the page ends with the newest message until then
        :param limit: at most 200
        """
        query = {"before_seq": before_seq, "after_seq": after_seq, "around_seq": around_seq, "at": at, "limit": limit}
        return decoding.page(await self.fetch("GET", thread_path(thread, "messages"), query=query), "messages")

    async def all_messages(self, thread: Thread | str, *, after_seq: int = 0) -> AsyncIterator[Message]:
        """The stored messages after a place, from the oldest on."""
        while True:
            page = await self.messages(thread, after_seq=after_seq, limit=200)
            for message in page.messages:
                yield message
            if not page.has_more_after or not page.events:
                return
            after_seq = page.events[-1].seq

    async def events(self, thread: Thread | str, *, after_seq: int = 0, limit: int = 100) -> list[LogEvent]:
        """The stored events after a place, at most 1,000."""
        query = {"after_seq": after_seq, "limit": limit}
        return list(decoding.page(await self.fetch("GET", thread_path(thread, "events"), query=query)).events)

    async def send(
        self,
        thread: Thread | str,
        text: str = "",
        *,
        parts: Iterable[Part] = (),
        reply_to: int | None = None,
        client_id: str | None = None,
    ) -> Receipt:
        """Sends a message, once, however often the call is repeated.

        :param client_id: the send's own id, 1 to 64 characters, to repeat it later; a UUIDv7 is made without one
        """
        fields = {"text": text or None, "parts": [each.to_json() for each in parts] or None, "reply_to": reply_to}
        content = {name: value for name, value in fields.items() if value is not None}
        headers = {"Idempotency-Key": client_id or uuid7()}
        path = thread_path(thread, "messages")
        return decoding.receipt(await self.fetch("POST", path, content=content, headers=headers))

    async def edit(self, thread: Thread | str, message_id: str, text: str) -> Receipt:
        path = thread_path(thread, "messages", message_id)
        return decoding.receipt(await self.fetch("PATCH", path, content={"text": text}))

    async def delete(self, thread: Thread | str, message_id: str) -> None:
        await self.call("DELETE", thread_path(thread, "messages", message_id))

    async def react(self, thread: Thread | str, message_id: str, emoji: str, on: bool = True) -> None:
        path = thread_path(thread, "messages", message_id, "reactions", emoji)
        await self.call("PUT" if on else "DELETE", path)

    async def mark_read(self, thread: Thread | str, seq: int | None = None) -> int:
        """Moves my read cursor, to the end without ``seq``. Returns where it is."""
        content = {} if seq is None else {"seq": seq}
        return decoding.number(await self.fetch("PUT", thread_path(thread, "read"), content=content), "read_seq")

    async def search(self, words: str, *, thread: Thread | str | None = None, limit: int = 30) -> list[Message]:
        """Messages of my threads that contain all the words, newest first; at most 200."""
        id = thread if thread is None or isinstance(thread, str) else thread.id
        answer = await self.fetch("GET", "/v1/search", query={"q": words, "thread": id, "limit": limit})
        return [decoding.message(each) for each in decoding.objects(answer, "results")]
