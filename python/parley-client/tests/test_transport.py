"""aiohttp's side, against a server of aiohttp on a loopback port."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import WSCloseCode, web

from parley_client import ParleyError
from parley_client.transport import AiohttpTransport, SocketClosed


def served(work: Callable[[AiohttpTransport], Awaitable[None]], **handlers: Any) -> None:
    async def run() -> None:
        app = web.Application()
        app.add_routes([web.route("*", f"/{name}", handler) for name, handler in handlers.items()])
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        transport = AiohttpTransport(f"http://127.0.0.1:{runner.addresses[0][1]}/")
        try:
            await work(transport)
        finally:
            await transport.close()
            await runner.cleanup()

    asyncio.run(run())


def test_frames_pings_and_close_codes_arrive() -> None:
    async def chat(request: web.Request) -> web.WebSocketResponse:
        assert request.headers["Sec-WebSocket-Protocol"] == "parley.v1"
        assert request.headers["Authorization"] == "Bearer t" and request.query == {"ticket": "a b"}
        socket = web.WebSocketResponse(protocols=["parley.v1"], autoping=False)
        await socket.prepare(request)
        await socket.ping(b"x")
        assert (await socket.receive()).data == b"x", "a ping is answered"
        await socket.send_bytes(b"binary")
        await socket.send_str("x" * 1_000_000)
        assert (await socket.receive()).data == "hello"
        await socket.close(code=WSCloseCode(1012))
        return socket

    async def work(transport: AiohttpTransport) -> None:
        socket = await transport.open_socket({"Authorization": "Bearer t"}, "a b")
        assert await socket.receive() is None
        assert await socket.receive() is None
        assert await socket.receive() == "x" * 1_000_000
        await socket.send("hello")
        with pytest.raises(SocketClosed) as closed:
            await socket.receive()
        assert closed.value.code == 1012
        with pytest.raises(SocketClosed):
            await socket.send("late")
        await socket.close()

    served(work, chat=chat)


def test_a_refused_handshake_tells_its_status_and_leaves_no_connection() -> None:
    ports: list[Any] = []

    async def chat(request: web.Request) -> web.Response:
        assert request.transport is not None
        ports.append(request.transport.get_extra_info("peername")[1])
        return web.json_response({}, status=429, headers={"Retry-After": "7"})

    async def work(transport: AiohttpTransport) -> None:
        for _ in range(2):
            with pytest.raises(ParleyError) as refused:
                await transport.open_socket({}, None)
            assert (refused.value.status, refused.value.retry_after, refused.value.retryable) == (429, 7.0, True)

    served(work, chat=chat)
    assert len(set(ports)) == 2, "a refused connection is not used again"


def test_calls_carry_bodies_queries_and_cookies_and_follow_no_redirection() -> None:
    async def call(request: web.Request) -> web.Response:
        assert "Cookie" not in request.headers
        answer = web.Response(body=request.query["q"].encode() + await request.read(), headers={"X-Y": "z"})
        answer.set_cookie("sessionid", "s")
        return answer

    async def moved(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "/call"})

    async def large(request: web.Request) -> web.Response:
        return web.Response(body=b"x" * (33 << 20))

    async def work(transport: AiohttpTransport) -> None:
        for _ in range(2):
            response = await transport.request("POST", "/call", query={"q": "a&b"}, body=b"!", headers={"A": "b"})
            assert (response.status, response.body, response.headers["x-y"]) == (200, b"a&b!", "z")
            assert response.cookies == {"sessionid": "s"}
        assert (await transport.request("GET", "/moved")).status == 302
        with pytest.raises(ParleyError, match="too long"):
            await transport.request("GET", "/large")
        async with transport.stream("/large", {}) as stream:
            assert sum([len(chunk) async for chunk in stream.chunks]) == 33 << 20

    served(work, call=call, moved=moved, large=large)


def test_a_server_that_is_not_there_is_an_error() -> None:
    async def work() -> None:
        transport = AiohttpTransport("http://127.0.0.1:1")
        for attempt in (transport.request("GET", "/"), transport.open_socket({}, None)):
            with pytest.raises(ParleyError) as error:
                await attempt
            assert error.value.code == "disconnected" and error.value.retryable
        await transport.close()

    asyncio.run(work())
    with pytest.raises(ValueError):
        AiohttpTransport("127.0.0.1:8080")
