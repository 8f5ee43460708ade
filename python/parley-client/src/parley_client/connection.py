"""The connection to the server: one socket at a time, opened again whenever the close code allows it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal, Protocol

from . import frames
from .credentials import Credentials
from .errors import ParleyError, from_frame
from .frames import Bye, Frame, Hello
from .models import JSON, Position
from .policy import close_reaction, seconds, wait_before
from .transport import Socket, SocketClosed, Transport, refusal

logger = logging.getLogger("parley_client")

#: The close code of a user whom an operator has suspended.
SUSPENDED = 4003

State = Literal["off", "connecting", "connected", "ended"]
OnAnswer = Callable[[JSON | ParleyError], None]
OnStored = Callable[[JSON], None]


class Handler(Protocol):
    """The user of a connection. None of its methods may block."""

    def on_hello(self, hello: Hello) -> Mapping[str, Position]:
        """Returns the positions to resume from."""

    def on_late_resume(self) -> bool:
        """The resume arrived too late, over a slow network. Returns whether the connection can be used nevertheless."""

    def on_frame(self, frame: Frame) -> None: ...

    def on_state(self) -> None: ...


@dataclass(eq=False, slots=True)
class _Pending:
    on_answer: OnAnswer
    on_stored: OnStored | None
    sent_at: float
    is_answered: bool = False


def _disconnected() -> ParleyError:
    return ParleyError("disconnected", "the connection has ended", retryable=True)


class Connection:
    """Keeps a socket open from :meth:`run` until that is cancelled, or the server wants no more of it.

    ``state`` is ``off`` before, ``connecting`` while there is no socket, ``connected`` from ``hello`` on, and
    ``ended`` with the reason in ``error``.
    """

    def __init__(self, transport: Transport, credentials: Credentials, handler: Handler, random: Random) -> None:
        self.state: State = "off"
        self.error: ParleyError | None = None
        self._transport = transport
        self._credentials = credentials
        self._handler = handler
        self._random = random
        self._attempt = 0
        self._has_fresh = False
        self._ticket: tuple[str, float] | None = None
        self._socket: Socket | None = None
        self._ref = 0
        self._resume_ref = 0
        self._pending: dict[int, _Pending] = {}
        self._ping_interval = 25.0
        self._frame_bytes = 65_536
        self._connected_at = 0.0
        self._heard_at = 0.0
        self._pinged_at: float | None = None
        self._go_at: float | None = None
        self._timeout: asyncio.Timeout | None = None
        self._wait_at_least = 0.0

    @property
    def unanswered(self) -> int:
        """The number of commands without an answer."""
        return sum(not each.is_answered for each in self._pending.values())

    async def run(self) -> None:
        """Connects again and again."""
        self._set("connecting")
        try:
            while True:
                wait = await self._live_once()
                await asyncio.sleep(wait)
        except ParleyError as error:
            self.error = error
            logger.warning("The connection has ended for good: %s", error)
        finally:
            self._set("ended")

    def _set(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._handler.on_state()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    # Attempts

    async def _live_once(self) -> float:
        """One attempt and, if it succeeds, its connection.

        :returns: the seconds until the next attempt
        :raises ParleyError: why there is none
        """
        ticket = self._take_ticket()
        headers: dict[str, str] = {}
        socket = None
        try:
            async with asyncio.timeout(seconds("handshake")):
                if ticket is None:
                    headers = await self._credentials.headers(self._transport)
                socket = await self._transport.open_socket(headers, ticket)
                hello = await self._greeting(socket)
        except ParleyError as error:
            if error.status == 403:
                raise await self._suspension(error) from error
            return self._refused(error, ticket, headers)
        except (TimeoutError, SocketClosed) as error:
            if socket is not None:
                await _close(socket)
            code = error.code if isinstance(error, SocketClosed) else None
            return self._closed(code)
        except asyncio.CancelledError:
            if socket is not None:
                await _close(socket)
            raise
        try:
            code = await self._live(socket, hello)
        finally:
            self._drop()
            await _close(socket)
        if code == SUSPENDED:
            raise await self._suspension(ParleyError("suspended", "an operator has suspended the user"))
        return self._closed(code)

    async def _suspension(self, known: ParleyError) -> ParleyError:
        """The error with the end and the reason, which neither a close frame nor a refused handshake has as values."""
        try:
            headers = await self._credentials.headers(self._transport)
            answer = await self._transport.request("GET", "/v1/me", headers=headers)
        except ParleyError as error:
            return error if error.code == "suspended" else known
        told = refusal(answer.status, answer.headers, answer.body)
        return told if told.code == "suspended" else known

    def _take_ticket(self) -> str | None:
        """The ticket of the last ``hello`` or ``bye``, once: a refused one is not used again."""
        ticket, self._ticket = self._ticket, None
        return ticket[0] if ticket and self._now() < ticket[1] else None

    def _keep_ticket(self, ticket: str | None) -> None:
        if ticket is not None:
            self._ticket = (ticket, self._now() + seconds("ticketLifetime"))

    async def _greeting(self, socket: Socket) -> Hello:
        while True:
            text = await socket.receive()
            fields = frames.decode(text) if text is not None else None
            frame = frames.parse(fields) if fields is not None else None
            if isinstance(frame, Hello):
                return frame

    def _refused(self, error: ParleyError, ticket: str | None, headers: dict[str, str]) -> float:
        if error.status == 401 and ticket is not None:
            return 0.0
        # Without header fields, the login itself was refused.
        if error.status == 401 and headers and not self._has_fresh and self._credentials.renew(headers):
            self._has_fresh = True
            return 0.0
        if error.status == 401:
            raise ParleyError("signed_out", "the credentials are refused", status=401) from error
        if error.status == 403 or (not headers and ticket is None and not error.retryable):
            raise error
        wait = error.retry_after + wait_before(self._attempt, "back-off", self._random)
        self._attempt += 1
        logger.info("An attempt to connect has failed: %s", error)
        return wait

    def _closed(self, code: int | None) -> float:
        """Handles the end of a socket, and returns the seconds until the next attempt."""
        reaction = close_reaction(code)
        if reaction == "sign-out":
            raise ParleyError("signed_out", f"the server has closed the socket with {code}")
        if reaction == "stop":
            raise ParleyError("stopped", f"the server has closed the socket with {code}")
        now = self._now()
        if self._connected_at and now - self._connected_at >= seconds("stableAfter"):
            self._attempt = 0
        self._connected_at = 0.0
        if reaction == "renew":
            # The ticket is not newer than the expired credentials.
            self._ticket = None
            self._has_fresh = self._credentials.renew(None)
        go_at, self._go_at = self._go_at, None
        least, self._wait_at_least = self._wait_at_least, 0.0
        wait = max(0.0, go_at - now) if go_at is not None else wait_before(self._attempt, reaction, self._random)
        self._attempt += 1
        logger.info("The connection has ended with %s", code)
        return least + wait

    # A connection

    async def _live(self, socket: Socket, hello: Hello) -> int | None:
        """Uses a socket until its end. Returns its close code."""
        now = self._now()
        self._socket = socket
        self._connected_at = self._heard_at = now
        self._pinged_at = None
        self._has_fresh = False
        self._ping_interval = hello.ping_interval
        self._frame_bytes = hello.frame_bytes
        self._keep_ticket(hello.ticket)
        self._ref += 1
        self._resume_ref = self._ref
        # `resume` must be the first command. Without positions it only starts the live events at once.
        text = frames.encode(frames.resume(self._handler.on_hello(hello)), self._ref)
        try:
            async with asyncio.timeout(seconds("pong")):
                await socket.send(text)
            self._pending[self._ref] = _Pending(lambda _: None, None, now)
            self._set("connected")
            return await self._read(socket)
        except SocketClosed as closed:
            return closed.code
        except TimeoutError:
            return None

    async def _read(self, socket: Socket) -> int | None:
        while True:
            try:
                async with asyncio.timeout_at(self._deadline()) as self._timeout:
                    text = await socket.receive()
            except TimeoutError:
                if self._is_lost():
                    return None
                if self._now() >= self._silence_deadline():
                    self._pinged_at = self._now()
                    async with asyncio.timeout(seconds("pong")):
                        await socket.send(frames.encode(frames.ping(int(self._now() * 1000))))
                continue
            finally:
                self._timeout = None
            self._heard_at = self._now()
            self._pinged_at = None
            fields = frames.decode(text) if text is not None else None
            if fields is not None and self._receive(fields):
                return None

    def _silence_deadline(self) -> float:
        if self._pinged_at is not None:
            return self._pinged_at + seconds("pong")
        return self._heard_at + self._ping_interval

    def _answer_deadline(self) -> float | None:
        """Frames keep their order, so one that arrives earlier extends the deadline of the oldest answer."""
        oldest = min((each.sent_at for each in self._pending.values() if not each.is_answered), default=None)
        return None if oldest is None else max(oldest, self._heard_at) + seconds("answer")

    def _deadline(self) -> float:
        bye = None if self._go_at is None else self._go_at + seconds("byeGrace")
        return min(each for each in (self._silence_deadline(), self._answer_deadline(), bye) if each is not None)

    def _is_lost(self) -> bool:
        now = self._now()
        answer = self._answer_deadline()
        if self._pinged_at is not None and now >= self._silence_deadline():
            return True
        if self._go_at is not None and now >= self._go_at + seconds("byeGrace"):
            return True
        return answer is not None and now >= answer

    def _receive(self, fields: JSON) -> bool:
        """Handles a frame. Returns whether the connection is of no more use."""
        ref = fields.get("ref")
        pending = self._pending.get(ref) if isinstance(ref, int) else None
        kind = fields["type"]
        if ref is not None and ref == self._resume_ref and kind == "error":
            return self._resume_refused(from_frame(fields))
        if pending is not None and isinstance(ref, int):
            self._answered(ref, pending, fields)
        frame = frames.parse(fields)
        if isinstance(frame, Bye):
            self._keep_ticket(frame.ticket)
            self._go_at = self._now() + frame.reconnect_after
        elif frame is not None and not isinstance(frame, Hello):
            self._handler.on_frame(frame)
        return False

    def _resume_refused(self, error: ParleyError) -> bool:
        """A resume is repeated on another connection, since only its answer tells what is void."""
        logger.info("The resume was refused: %s", error)
        if not error.retryable and self._handler.on_late_resume():
            self._pending.pop(self._resume_ref, None)
            return False
        self._wait_at_least = error.retry_after
        return True

    def _answered(self, ref: int, pending: _Pending, fields: JSON) -> None:
        is_first = not pending.is_answered
        pending.is_answered = True
        if pending.on_stored is None or fields["type"] == "error" or fields.get("level") == "stored":
            del self._pending[ref]
        if is_first:
            pending.on_answer(from_frame(fields) if fields["type"] == "error" else fields)
        if pending.on_stored is not None and fields.get("level") == "stored":
            pending.on_stored(fields)

    def _drop(self) -> None:
        self._socket = None
        pending, self._pending = self._pending, {}
        # The handler must not send on this connection again when it hears of the end.
        self._set("connecting")
        for each in pending.values():
            if not each.is_answered:
                each.on_answer(_disconnected())

    # Commands

    async def post(self, command: JSON, on_answer: OnAnswer, on_stored: OnStored | None = None) -> None:
        """Sends a command. ``on_answer`` is called once, with the answer or the error.

        :param on_stored: called with the second ack of a send that asks for ``stored``
        """
        socket = self._socket
        if socket is None or self.state != "connected":
            return on_answer(_disconnected())
        self._ref += 1
        ref = self._ref
        text = frames.encode(command, ref)
        if len(text.encode()) > self._frame_bytes:
            # The server would close the socket, each time.
            return on_answer(ParleyError("too_large", f"a frame has at most {self._frame_bytes} bytes"))
        self._pending[ref] = _Pending(on_answer, on_stored, self._now())
        if self._timeout is not None and not self._timeout.expired():
            self._timeout.reschedule(self._deadline())
        try:
            await socket.send(text)
        except SocketClosed:
            # The reader finds the end of the socket, and answers everything.
            return

    async def command(self, command: JSON) -> JSON:
        """Sends a command, and returns its answer.

        :raises ParleyError: the refusal, or ``disconnected``
        """
        answer: asyncio.Future[JSON] = asyncio.get_running_loop().create_future()

        def resolve(result: JSON | ParleyError) -> None:
            if answer.done():
                return
            if isinstance(result, ParleyError):
                answer.set_exception(result)
            else:
                answer.set_result(result)

        await self.post(command, resolve)
        return await answer


async def _close(socket: Socket) -> None:
    try:
        async with asyncio.timeout(3):
            await socket.close()
    except (TimeoutError, SocketClosed):
        return
