"""A chat client on a socket: it sends each message once, and receives each event once and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from random import Random
from types import TracebackType
from typing import Self

from . import decoding, frames
from .connection import State
from .credentials import Credentials
from .engine import Engine
from .errors import ParleyError
from .ids import uuid7
from .models import Message, Mute, Page, Part, Position, Receipt, Thread, User
from .outbox import Entry, Sending
from .rest import Rest
from .streams import EventStream, MessageStream
from .transport import AiohttpTransport, Transport

#: The events that wait in one stream.
_STREAM_CAPACITY = 1_000


def id_of(thread: Thread | str) -> str:
    return thread if isinstance(thread, str) else thread.id


class Client:
    """One user's connection. Use it as ``async with Client(…) as client``, in one event loop.

    It connects again after every end that the server permits, continues each thread where it was, and sends again what
    is not confirmed. What it knows is in memory, and ends with it.

    :param url: the server, ``http://…`` or ``https://…``
    :param positions: where threads continue, from an earlier :attr:`positions`; others begin with what is new
    :param outbox_capacity: the most commands that may wait to be confirmed
    :param timeout: the seconds that ``async with`` waits for the first connection; ``None`` sets no limit
    """

    def __init__(
        self,
        url: str,
        credentials: Credentials,
        *,
        positions: Mapping[str, Position] | None = None,
        outbox_capacity: int = 1_000,
        timeout: float | None = 30.0,
        transport: Transport | None = None,
        random: Random | None = None,
    ) -> None:
        self._transport = transport or AiohttpTransport(url)
        self._credentials = credentials
        self._timeout = timeout
        self._engine = Engine(self._transport, credentials, positions or {}, outbox_capacity, random or Random())
        #: REST calls of the same user.
        self.rest = Rest(url, credentials, transport=self._transport)

    async def __aenter__(self) -> Self:
        try:
            await self.connect(timeout=self._timeout)
        except BaseException:
            await self.close(timeout=0)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close(timeout=5.0 if kind is None else 0.0)

    # Connection

    async def connect(self, timeout: float | None = None) -> None:
        """Connects, and waits until events arrive. Afterwards the connection is kept without being asked.

        :param timeout: seconds; ``None`` sets no limit
        :raises ParleyError: ``timeout``, or that the server wants no connection
        """
        if self._engine.connection.state == "off":
            self._engine.start()
        try:
            async with asyncio.timeout(timeout):
                await self._engine.connected()
        except TimeoutError as error:
            raise ParleyError("timeout", f"no connection within {timeout} s", retryable=True) from error

    async def close(self, timeout: float = 5.0) -> None:
        """Waits up to ``timeout`` seconds until the outbox is confirmed, and ends everything.

        What is not confirmed by then fails with ``closed``.
        """
        try:
            async with asyncio.timeout(timeout):
                await self.settled()
        except (TimeoutError, ParleyError):
            pass
        await self._engine.stop()
        await self._credentials.end(self._transport)
        await self._transport.close()

    async def settled(self) -> None:
        """Waits until everything that was sent is confirmed, or refused.

        :raises ParleyError: if the connection has ended for good
        """
        while not self._engine.sender.outbox.is_settled:
            await self._engine.changed()

    @property
    def state(self) -> State:
        """``off``, ``connecting``, ``connected`` or ``ended``."""
        return self._engine.connection.state

    @property
    def error(self) -> ParleyError | None:
        """The reason for the final end of the connection."""
        return self._engine.connection.error

    @property
    def user(self) -> User | None:
        """This user; known from the first connection on."""
        return self._engine.user

    @property
    def threads(self) -> Mapping[str, Thread]:
        """My threads by ID, as the newest connection has told them: the 500 with the newest activity, and what has been
        added since. :meth:`Rest.threads` has all."""
        return self._engine.threads

    def mute_of(self, thread: Thread | str) -> Mute | None:
        """My mute in a thread, while it is in force by the server's clock. Until then, what I write is ``forbidden``.

        :class:`MuteChanged` tells of its beginning and of an early end; nothing tells that its time is over.
        """
        return self._engine.mute_of(id_of(thread))

    @property
    def positions(self) -> dict[str, Position]:
        """The last events that have arrived without a gap, by thread."""
        return {id: log.position for id, log in self._engine.logs.items()}

    # Sending

    def send(
        self,
        thread: Thread | str,
        text: str = "",
        *,
        parts: Iterable[Part] = (),
        reply_to: int | None = None,
        client_id: str | None = None,
    ) -> Sending:
        """Sends a message: at once, or when there is a connection, and once, however often it is interrupted.

        ``await client.send(…)`` waits until the message is in the server's database; without ``await`` it is sent
        likewise.

        :param parts: files and other content; an uploaded file is ``attachment.part``
        :param reply_to: the ``seq`` of the message that this one answers
        :param client_id: the send's own id, to repeat it in another process; a UUIDv7 is made without one
        :raises ParleyError: ``outbox_full``, or that the connection has ended for good
        :raises ValueError: for a text that is no Unicode
        """
        id = client_id or uuid7()
        command = frames.message(id_of(thread), text, client_id=id, ack="stored", parts=parts, reply_to=reply_to)
        frames.encode(command)
        return self._add(Entry(id_of(thread), "message", command, Sending(id_of(thread), id)))

    def edit(self, message: Message | Receipt, text: str) -> Sending:
        """Replaces the text of a message of mine. Awaiting it waits until the log has the edit."""
        command = frames.edit(message.thread_id, _message_id(message), text)
        frames.encode(command)
        return self._change(message.thread_id, command)

    def delete(self, message: Message | Receipt) -> Sending:
        """Removes the text and the parts of a message."""
        return self._change(message.thread_id, frames.delete(message.thread_id, _message_id(message)))

    def react(self, message: Message | Receipt, emoji: str, on: bool = True) -> Sending:
        """Adds my reaction to a message, or removes it."""
        command = frames.react(message.thread_id, _message_id(message), emoji, on)
        frames.encode(command)
        return self._change(message.thread_id, command)

    def _change(self, thread_id: str, command: dict[str, object]) -> Sending:
        return self._add(Entry(thread_id, "change", command, Sending(thread_id, uuid7())))

    def _add(self, entry: Entry) -> Sending:
        self._engine.check()
        self._engine.sender.add(entry)
        assert entry.sending is not None
        return entry.sending

    def mark_read(self, thread: Thread | str, seq: int | None = None) -> None:
        """Marks a thread as read up to ``seq``, by default up to what has arrived. Only the last mark counts."""
        id = id_of(thread)
        log = self._engine.log(id)
        if seq is None and log is not None:
            seq = log.seq
        command = frames.read(id, seq)
        frames.encode(command)
        self._engine.check()
        self._engine.sender.add(Entry(id, "read", command))

    def typing(self, thread: Thread | str, on: bool = True) -> None:
        """Tells the members that this user types, or has stopped; call it with each key. It is sent at most every
        3.5 seconds, and not at all without a connection."""
        frames.encode(frames.typing(id_of(thread), on))
        self._engine.sender.type(id_of(thread), on)

    def watch(self, users: Iterable[str]) -> None:
        """Asks for the presence of these users, by ID, from now on; at most 500, in place of those before."""
        listed = list(users)
        frames.encode(frames.watch(listed))
        self._engine.sender.watch(listed)

    async def join(self, title: str) -> Thread:
        """Joins the room with the title, or creates it.

        :raises ParleyError: such as ``forbidden`` for a room that this user was removed from
        """
        answer = await self._engine.ask(frames.join(title))
        id = decoding.text(answer, "thread_id")
        try:
            # The socket hears of a new room by itself.
            async with asyncio.timeout(3):
                while id not in self._engine.threads:
                    await self._engine.changed()
        except TimeoutError:
            self._engine.threads[id] = await self.rest.thread(id)
        return self._engine.threads[id]

    async def authenticate(self, token: str) -> None:
        """Passes a new token of this user to the open socket, so that it does not close when the old one expires."""
        await self._engine.ask(frames.auth(token))

    async def leave(self, thread: Thread | str) -> None:
        """Ends this user's membership."""
        await self._engine.ask(frames.leave(id_of(thread)))

    # Receiving

    def messages(
        self, thread: Thread | str | None = None, *, after: int | None = None, capacity: int = _STREAM_CAPACITY
    ) -> MessageStream:
        """The messages of a thread, or of all, from now on: ``async for message in client.messages(room)``.

        :param after: begin after this ``seq`` instead; 0 begins with the first message of the thread
        :param capacity: the events that may wait to be read in memory; what is more is read from history
        """
        return MessageStream(self.events(thread, after=after, capacity=capacity))

    def events(
        self, thread: Thread | str | None = None, *, after: int | None = None, capacity: int = _STREAM_CAPACITY
    ) -> EventStream:
        """Everything that happens in a thread, or in all, from now on, with the parameters of :meth:`messages`."""
        if after is not None and thread is None:
            raise ValueError("`after` is a place in one thread")
        stream = EventStream(self._engine, None if thread is None else id_of(thread), after, capacity)
        if not self._engine.is_ended:
            self._engine.streams.add(stream)
        else:
            stream._end(self.error)
        return stream

    async def history(
        self, thread: Thread | str, *, before: int | None = None, after: int | None = None, limit: int = 30
    ) -> Page:
        """A page of a thread's log, up to what has arrived on this connection.

        With ``after`` it has the oldest events above that ``seq``, else the newest, below ``before``. ``limit`` is at
        most 200.
        """
        return await self._engine.history(id_of(thread), before=before, after=after, limit=limit)


def _message_id(message: Message | Receipt) -> str:
    if message.id is None:
        raise ValueError("the receipt of a change is no message")
    return message.id
