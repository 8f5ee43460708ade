"""Helpers of the tests: the fixtures, a loop whose time is virtual, and a transport without a network."""

from __future__ import annotations

import asyncio
import json
import selectors
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from parley_client.errors import ParleyError
from parley_client.transport import Response, Socket, SocketClosed, Stream

T = TypeVar("T")
FIXTURES = Path(__file__).parents[3] / "Tests" / "Fixtures"


def golden() -> dict[str, dict[str, Any]]:
    """The golden frames of the v1 dialect, by name."""
    return {path.stem: json.loads(path.read_text()) for path in sorted((FIXTURES / "v1").glob("*.json"))}


class _VirtualSelector(selectors.SelectSelector):
    """Waits by moving the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everything waits, and nothing will happen")
        # A little more, so that rounding leaves nothing to wait for.
        self.now += timeout and timeout + 1e-6
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in which waiting takes no time."""

    def __init__(self) -> None:
        self._virtual = _VirtualSelector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Calls the function here: virtual time would not wait for a thread."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


class FakeSocket(Socket):
    """The client's end of a socket. The test has the other end: ``sent``, ``deliver`` and ``cut``."""

    def __init__(self, on_command: Callable[[FakeSocket, dict[str, Any]], None] | None = None) -> None:
        self.sent: list[dict[str, Any]] = []
        self.is_open = True
        self._on_command = on_command
        self._frames: asyncio.Queue[str | SocketClosed] = asyncio.Queue()

    async def receive(self) -> str | None:
        frame = await self._frames.get()
        if isinstance(frame, SocketClosed):
            self.is_open = False
            raise frame
        return frame

    async def send(self, text: str) -> None:
        if not self.is_open:
            raise SocketClosed(None)
        command = json.loads(text)
        self.sent.append(command)
        if self._on_command is not None:
            self._on_command(self, command)

    async def close(self) -> None:
        self.is_open = False

    def deliver(self, frame: dict[str, Any]) -> None:
        self._frames.put_nowait(json.dumps(frame))

    def cut(self, code: int | None = None) -> None:
        self._frames.put_nowait(SocketClosed(code))

    def commands(self, name: str) -> list[dict[str, Any]]:
        return [command for command in self.sent if name in command]


Handshake = FakeSocket | ParleyError


class FakeTransport:
    """Answers handshakes with what ``handshakes`` yields, and calls with what ``respond`` returns."""

    def __init__(self, handshake: Callable[[Mapping[str, str], str | None], Handshake]) -> None:
        self.attempts: list[tuple[float, str | None]] = []
        self.calls: list[tuple[str, str, dict[str, str], bytes | None]] = []
        self.respond: Callable[[str, str, bytes | None], Response | ParleyError] = lambda *_: response(404)
        self.streams: list[Callable[[str, Mapping[str, str]], Stream]] = []
        self._handshake = handshake

    async def open_socket(self, headers: Mapping[str, str], ticket: str | None) -> Socket:
        self.attempts.append((asyncio.get_running_loop().time(), ticket))
        result = self._handshake(headers, ticket)
        if isinstance(result, ParleyError):
            raise result
        return result

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = 0,
    ) -> Response:
        full = path if not query else path + "?" + "&".join(f"{name}={value}" for name, value in query.items())
        self.calls.append((method, full, dict(headers or {}), body))
        result = self.respond(method, full, body)
        if isinstance(result, ParleyError):
            raise result
        return result

    @asynccontextmanager
    async def stream(self, url: str, headers: Mapping[str, str]) -> AsyncIterator[Stream]:
        yield self.streams.pop(0)(url, headers)

    async def close(self) -> None:
        return None


def response(
    status: int,
    content: Any = None,
    *,
    headers: Mapping[str, str] | None = None,
    cookies: Mapping[str, str] | None = None,
) -> Response:
    return Response(status, headers or {}, json.dumps(content).encode(), cookies or {})


def hello(
    seq: int = 0,
    *,
    epoch: str = "e1",
    ticket: str | None = None,
    ping: int = 25_000,
    mute: dict[str, Any] | None = None,
    time: int | None = None,
) -> dict[str, Any]:
    thread: dict[str, Any] = {"id": "a", "title": "A", "kind": "room", "role": "member", "epoch": epoch, "seq": seq}
    if mute is not None:
        thread["mute"] = mute
    frame: dict[str, Any] = {
        "type": "hello",
        "user": {"id": "me", "username": "me"},
        "ping_interval_ms": ping,
        "threads": [{**thread, "unread": 0, "read_seq": seq}],
    }
    optional = {"ticket": ticket, "server_time": time}
    return frame | {name: value for name, value in optional.items() if value is not None}


def message(seq: int, text: str = "", *, epoch: str = "e1", sender: str = "bob", **fields: Any) -> dict[str, Any]:
    place = {"type": "message", "thread_id": "a", "epoch": epoch, "seq": seq, "date": 0, "date_ms": seq}
    return {
        **place,
        "id": f"{epoch}-{seq}",
        "text": text or f"{seq}",
        "sender_id": sender,
        "sender_name": sender,
        **fields,
    }


def fixed_random() -> Random:
    return Random(1)
