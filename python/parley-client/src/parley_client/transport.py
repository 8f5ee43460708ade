"""HTTP and WebSockets, by aiohttp. Everything above it knows only the protocols of this file, which tests replace."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote
from weakref import WeakSet

import aiohttp

from .errors import CursorRolledBack, ParleyError
from .frames import SUBPROTOCOL

#: The longest frame that is accepted, in bytes: a page has 256 KiB of text, which escapes lengthen.
MAX_FRAME = 4 << 20
#: The longest answer of a REST call that is read into memory, in bytes.
MAX_BODY = 32 << 20
#: The seconds that one REST call may take, or that a stream may be silent.
CALL_TIMEOUT = 30.0


class SocketClosed(Exception):
    """The socket has ended; ``code`` is ``None`` without a close frame."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


class Socket(Protocol):
    async def receive(self) -> str | None:
        """The next text; ``None`` for a sign of life without one. Raises :class:`SocketClosed`."""

    async def send(self, text: str) -> None:
        """Writes a text frame, and waits while too much waits to be written. Raises :class:`SocketClosed`."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes
    cookies: Mapping[str, str]

    def json(self) -> Any:
        """
        :raises ParleyError: ``bad_answer``
        """
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise ParleyError("bad_answer", "no JSON", status=self.status) from error


@dataclass(frozen=True, slots=True)
class Stream:
    """A response whose body is read in pieces."""

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]


class Transport(Protocol):
    async def open_socket(self, headers: Mapping[str, str], ticket: str | None) -> Socket:
        """Opens a socket. Raises :class:`ParleyError`, with the ``status`` of a refused handshake."""

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = CALL_TIMEOUT,
    ) -> Response:
        """One call, whatever its status, within ``timeout`` seconds. Raises :class:`ParleyError` ``disconnected``."""

    def stream(self, url: str, headers: Mapping[str, str]) -> AbstractAsyncContextManager[Stream]:
        """A ``GET`` whose body is read in pieces. ``url`` is a path of the server, or a URL elsewhere."""

    async def close(self) -> None: ...


def escaped(segment: str) -> str:
    """A segment of a path, as the server spells it."""
    return quote(segment, safe="-_.!~*'()")


def refusal(status: int, headers: Mapping[str, str], body: bytes = b"") -> ParleyError:
    """The error of a response."""
    code, message = {401: "unauthorized", 403: "forbidden", 404: "not_found", 413: "too_large"}.get(status, ""), ""
    until_ms: object = None
    reason: object = None
    try:
        error = json.loads(body)["error"]
        code, message = str(error["code"]), str(error["message"])
        if code == "suspended":
            until_ms, reason = error.get("until_ms"), error.get("reason")
    except (ValueError, KeyError, TypeError):
        # A proxy answers in its own words.
        code = code or ("rate_limited" if status == 429 else "unavailable" if status >= 500 else "bad_request")
        message = f"HTTP status {status}"
    retry_after = headers.get("Retry-After", "")
    offset = headers.get("Upload-Offset", "")
    return (CursorRolledBack if code == "rolled_back" else ParleyError)(
        code,
        message,
        retryable=status in (429, 502, 503, 504),
        retry_after=float(retry_after) if retry_after.isascii() and retry_after.isdigit() else 0.0,
        status=status,
        offset=int(offset) if status == 409 and offset.isascii() and offset.isdigit() else None,
        until_ms=until_ms if isinstance(until_ms, int) and not isinstance(until_ms, bool) else None,
        reason=reason if isinstance(reason, str) else None,
    )


class _Connector(aiohttp.TCPConnector):
    """A pool that a forked process leaves alone, since it would end the connections of the parent."""

    _pid = 0

    def __init__(self, *, force_close: bool = False) -> None:
        super().__init__(force_close=force_close)
        self._pid = os.getpid()

    def __del__(self, *_: object) -> None:
        if self._pid == os.getpid():
            super().__del__()


#: The transports of this process, which its forks abandon.
_transports: WeakSet[AiohttpTransport] = WeakSet()


def _forked() -> None:
    for transport in list(_transports):
        transport.abandon()


os.register_at_fork(after_in_child=_forked)


class AiohttpTransport:
    """A pool of connections to one server. It begins with the first call, in the loop of that call.

    :param url: the server, ``http://…`` or ``https://…``
    """

    def __init__(self, url: str) -> None:
        self._base = url.rstrip("/")
        if not self._base.startswith(("http://", "https://")):
            raise ValueError("the server's URL begins with http:// or https://")
        self._calls: aiohttp.ClientSession | None = None
        self._sockets: aiohttp.ClientSession | None = None
        _transports.add(self)

    def _pool(self) -> aiohttp.ClientSession:
        if self._calls is None:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=CALL_TIMEOUT)
            # A cookie of a login would be sent beside the credentials of each call.
            self._calls = aiohttp.ClientSession(
                connector=_Connector(), timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._calls

    def _handshakes(self) -> aiohttp.ClientSession:
        """Connections for sockets, each for one handshake: servers and proxies may read no further request after one
        that they have refused."""
        if self._sockets is None:
            connector = _Connector(force_close=True)
            self._sockets = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._sockets

    async def open_socket(self, headers: Mapping[str, str], ticket: str | None) -> Socket:
        try:
            socket = await self._handshakes().ws_connect(
                self._base + "/chat",
                params={"ticket": ticket} if ticket else None,
                headers=headers,
                protocols=[SUBPROTOCOL],
                autoping=False,
                max_msg_size=MAX_FRAME,
                timeout=aiohttp.ClientWSTimeout(ws_close=2.0),
            )
        except aiohttp.WSServerHandshakeError as error:
            raise refusal(error.status, error.headers or {}) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise ParleyError("disconnected", str(error), retryable=True) from error
        return _AiohttpSocket(socket)

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = CALL_TIMEOUT,
    ) -> Response:
        call = self._pool().request(
            method,
            self._base + path,
            params=query,
            data=body,
            headers=headers,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=timeout, sock_connect=10),
        )
        try:
            async with call as response:
                content = await response.content.read(MAX_BODY + 1)
                while len(content) <= MAX_BODY and not response.content.at_eof():
                    content += await response.content.read(MAX_BODY + 1 - len(content))
                cookies = {name: morsel.value for name, morsel in response.cookies.items()}
                if len(content) > MAX_BODY:
                    raise ParleyError("bad_answer", "the answer is too long", status=response.status)
                return Response(response.status, response.headers, content, cookies)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise ParleyError("disconnected", str(error), retryable=True) from error

    @asynccontextmanager
    async def stream(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[Stream]:
        target = self._base + url if url.startswith("/") else url
        try:
            async with self._pool().get(target, headers=headers, allow_redirects=False) as response:
                yield Stream(response.status, response.headers, response.content.iter_chunked(64 << 10))
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise ParleyError("disconnected", str(error), retryable=True) from error

    def abandon(self) -> None:
        """Forgets the connections without closing them, in a process that was forked."""
        for session in (self._calls, self._sockets):
            if session is not None:
                session.detach()
        self._calls = self._sockets = None

    async def close(self) -> None:
        sessions = [session for session in (self._calls, self._sockets) if session is not None]
        self._calls = self._sockets = None
        for session in sessions:
            await session.close()


class _AiohttpSocket:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def receive(self) -> str | None:
        message = await self._socket.receive()
        match message.type:
            case aiohttp.WSMsgType.TEXT:
                return str(message.data)
            case aiohttp.WSMsgType.PING:
                await self._socket.pong(message.data)
                return None
            case aiohttp.WSMsgType.PONG | aiohttp.WSMsgType.BINARY:
                return None
            case _:
                raise SocketClosed(self._socket.close_code)

    async def send(self, text: str) -> None:
        try:
            await self._socket.send_str(text)
        except (aiohttp.ClientError, OSError, RuntimeError) as error:
            raise SocketClosed(self._socket.close_code) from error

    async def close(self) -> None:
        await self._socket.close()
