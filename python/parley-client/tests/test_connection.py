"""Refusals, closes and silence, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from parley_client import Client, ParleyError, Password, Token
from support import FakeSocket, FakeTransport, Handshake, fixed_random, hello, message, response, run


class Host:
    """A server whose handshakes a test decides, one after another; the last one repeats."""

    def __init__(self, *handshakes: ParleyError | dict[str, Any]) -> None:
        self._handshakes = list(handshakes) or [hello()]
        self.sockets: list[FakeSocket] = []
        self.headers: list[Mapping[str, str]] = []
        self.is_deaf = False
        self.transport = FakeTransport(self._handshake)

    def _handshake(self, headers: Mapping[str, str], ticket: str | None) -> Handshake:
        self.headers.append(headers)
        answer = self._handshakes.pop(0) if len(self._handshakes) > 1 else self._handshakes[0]
        if isinstance(answer, ParleyError):
            return answer
        socket = FakeSocket(self._command)
        self.sockets.append(socket)
        socket.deliver(answer)
        return socket

    def _command(self, socket: FakeSocket, command: dict[str, Any]) -> None:
        if "resume" in command:
            socket.deliver({"type": "resumed", "ref": command["ref"], "threads": {}})
        elif "ping" in command and not self.is_deaf:
            socket.deliver({"type": "pong", "ping": command["ping"], "server_time": 0})

    @property
    def times(self) -> list[float]:
        return [round(at, 3) for at, _ in self.transport.attempts]

    @property
    def tickets(self) -> list[str | None]:
        return [ticket for _, ticket in self.transport.attempts]

    def client(self, credentials: Any = None) -> Client:
        return Client("http://test", credentials or Token("t"), transport=self.transport, random=fixed_random())


def refused(status: int, retry_after: float = 0) -> ParleyError:
    return ParleyError("x", status=status, retryable=status in (429, 503), retry_after=retry_after)


def lived(host: Host, body: Callable[[Client], Awaitable[None]], credentials: Any = None) -> Client:
    """Runs a client whose first connection is open."""
    made: list[Client] = []

    async def work() -> None:
        client = host.client(credentials)
        made.append(client)
        try:
            await client.connect(timeout=1_000)
            await body(client)
        finally:
            await client.close(timeout=0)

    run(work())
    return made[0]


def ended(host: Host, credentials: Any = None) -> ParleyError:
    with pytest.raises(ParleyError) as caught:
        lived(host, lambda _: asyncio.sleep(1_000), credentials)
    return caught.value


async def after_close(host: Host, code: int | None, lasted: float = 10) -> None:
    await asyncio.sleep(lasted)
    host.sockets[-1].cut(code)
    await asyncio.sleep(60)


def gap(host: Host, code: int | None, lasted: float = 10) -> float:
    """The seconds between a close and the next attempt."""
    lived(host, lambda _: after_close(host, code, lasted))
    return host.times[1] - host.times[0] - lasted


def test_resume_is_the_first_command() -> None:
    host = Host(hello(5))
    lived(host, lambda _: asyncio.sleep(0))
    assert host.sockets[0].sent == [{"resume": {"threads": {}}, "ref": 1}]


def test_a_close_is_followed_by_its_delay() -> None:
    assert 0 < gap(Host(), 1001) <= 0.5
    assert 0 < gap(Host(), None) <= 0.5
    assert 1.0 <= gap(Host(), 1013) <= 1.5
    assert 0 < gap(Host(), 4200) <= 2.5
    assert gap(Host(), 4300) < 0.01
    assert gap(Host(), 4100) < 0.01


def test_delays_grow_until_a_connection_lasts() -> None:
    host = Host(*[refused(503)] * 12, hello())
    lived(host, lambda _: asyncio.sleep(0))
    gaps = [later - earlier for earlier, later in zip(host.times, host.times[1:], strict=False)]
    assert all(gap <= min(30, 0.5 * 2**number) + 0.01 for number, gap in enumerate(gaps))
    assert max(gaps) > 5
    short = Host()

    async def cut_at_once(_: Client) -> None:
        for _turn in range(8):
            short.sockets[-1].cut(4300)
            count = len(short.sockets)
            for _instant in range(10_000):
                if len(short.sockets) > count:
                    break
                await asyncio.sleep(0.01)

    lived(short, cut_at_once)
    assert short.times[-1] > 2, "a server that closes each connection is not flooded"


def test_retry_after_comes_before_the_delay() -> None:
    host = Host(refused(503, 7), refused(429, 3), hello())
    lived(host, lambda _: asyncio.sleep(0))
    assert 7 <= host.times[1] <= 7.5
    assert 3 <= host.times[2] - host.times[1] <= 4


@pytest.mark.parametrize(("code", "error"), [(4000, "signed_out"), (4001, "signed_out"), (4050, "stopped")])
def test_a_close_for_good_ends_everything(code: int, error: str) -> None:
    host = Host()

    async def use(client: Client) -> None:
        stream = client.messages("a")
        sending = client.send("a", "Hello")
        host.sockets[0].cut(code)
        with pytest.raises(ParleyError, match=error):
            await anext(stream)
        with pytest.raises(ParleyError, match=error):
            await sending
        with pytest.raises(ParleyError, match=error):
            client.send("a", "Hello")
        with pytest.raises(ParleyError, match=error):
            await client.history("a")
        with pytest.raises(ParleyError, match=error):
            await anext(client.messages("a"))
        await asyncio.sleep(100)

    client = lived(host, use)
    assert len(host.times) == 1 and client.error is not None and client.error.code == error


def test_a_suspension_ends_everything_with_its_reason() -> None:
    fields = {"code": "suspended", "message": "until then", "until_ms": 5, "reason": "spam"}
    for is_told in (True, False):
        host = Host()

        async def use(client: Client, host: Host = host, is_told: bool = is_told) -> None:
            stream = client.messages("a")
            if is_told:
                host.transport.respond = lambda *_: response(403, {"error": fields})
            host.sockets[0].cut(4003)
            with pytest.raises(ParleyError, match="suspended"):
                await anext(stream)

        client = lived(host, use)
        assert len(host.times) == 1 and client.error is not None
        error = client.error
        assert (error.code, error.until_ms, error.reason) == ("suspended", *((5, "spam") if is_told else (None, None)))


def test_403_ends_everything() -> None:
    host = Host(refused(403))
    assert ended(host).status == 403
    assert len(host.times) == 1


def test_401_with_a_token_ends_everything() -> None:
    assert ended(Host(refused(401))).code == "signed_out"


def test_401_asks_the_provider_once() -> None:
    tokens = iter(["old", "new", "newest"])
    host = Host(refused(401), hello())
    lived(host, lambda _: asyncio.sleep(0), Token(lambda: next(tokens)))
    assert [each["Authorization"] for each in host.headers] == ["Bearer old", "Bearer new"]
    assert host.times == [0, 0]
    host = Host(refused(401))
    assert ended(host, Token(lambda: "t")).code == "signed_out"
    assert len(host.times) == 2, "fresh ones that are refused too are void"


def test_a_provider_that_fails_is_asked_again() -> None:
    calls = []

    async def token() -> str:
        calls.append(0)
        if len(calls) < 4:
            raise OSError("no network")
        return "t"

    host = Host()
    lived(host, lambda _: asyncio.sleep(0), Token(token))
    assert len(calls) == 4 and len(host.times) == 1


def test_expired_credentials_are_renewed() -> None:
    tokens = iter(["old", "new"])
    host = Host(hello(ticket="t1"), hello())
    lived(host, lambda _: after_close(host, 4100), Token(lambda: next(tokens)))
    assert [each.get("Authorization") for each in host.headers] == ["Bearer old", "Bearer new"]
    assert host.tickets == [None, None]


def test_a_password_is_a_login_and_a_logout() -> None:
    host = Host(refused(401), hello())
    host.transport.respond = lambda *_: response(200, {}, cookies={"sessionid": "s", "sessionid_device": "d"})
    lived(host, lambda _: asyncio.sleep(0), Password("ann", "secret"))
    calls = [(method, path) for method, path, _, _ in host.transport.calls]
    assert calls == [("POST", "/auth/login"), ("POST", "/auth/login"), ("POST", "/auth/logout")]
    assert host.headers[-1] == {"Authorization": "Bearer s"}


def test_a_wrong_password_ends_everything() -> None:
    host = Host()
    host.transport.respond = lambda *_: response(401, {"error": {"code": "unauthorized", "message": "wrong"}})
    assert ended(host, Password("ann", "secret")).code == "signed_out"
    assert host.times == []


def test_a_new_user_signs_up_and_a_taken_name_is_a_wrong_password() -> None:
    wrong = response(401, {"error": {"code": "unauthorized", "message": "wrong"}})
    for answer, end in (
        (response(403, {"error": {"code": "forbidden", "message": "taken"}}), "signed_out"),
        (response(400, {"error": {"code": "bad_request", "message": "too short"}}), "bad_request"),
    ):
        host = Host()
        answers = {"/auth/login": wrong, "/auth/signup": answer}
        host.transport.respond = lambda _, path, *rest, answers=answers: answers[path]
        assert ended(host, Password("ann", "secret", sign_up=True)).code == end
    host = Host()
    made = {"/auth/login": wrong, "/auth/signup": response(200, {}, cookies={"sessionid": "s"})}
    host.transport.respond = lambda _, path, *rest: made.get(path, response(200))
    lived(host, lambda _: asyncio.sleep(0), Password("ann", "secret", sign_up=True))
    assert [path for _, path, _, _ in host.transport.calls] == ["/auth/login", "/auth/signup", "/auth/logout"]
    assert host.headers[-1] == {"Authorization": "Bearer s"}


def test_a_login_waits_as_long_as_the_server_asks() -> None:
    host = Host()
    answers = [response(429, {}, headers={"Retry-After": "20"}), response(200, {}, cookies={"sessionid": "s"})]
    host.transport.respond = lambda *_: answers.pop(0) if answers else response(200)
    lived(host, lambda _: asyncio.sleep(0), Password("ann", "secret"))
    assert 20 <= host.times[0] <= 21


def test_a_ticket_is_used_for_nine_minutes_and_once() -> None:
    host = Host(hello(ticket="t1"), refused(401), hello(ticket="t2"))
    lived(host, lambda _: after_close(host, 1001))
    assert host.tickets == [None, "t1", None], "a refused ticket is followed by the credentials, at once"
    assert host.times[2] == host.times[1]
    host = Host(hello(ticket="t1"), hello())
    lived(host, lambda _: after_close(host, 1001, lasted=541))
    assert host.tickets == [None, None]


def test_after_bye_the_client_stays_and_comes_back_at_the_announced_time() -> None:
    for code in (4200, 1001, None):
        host = Host(hello(), hello())

        async def leave(_: Client, host: Host = host, code: int | None = code) -> None:
            await asyncio.sleep(10)
            host.sockets[0].deliver({"type": "bye", "reconnect_after_ms": 3_200, "ticket": "b"})
            await asyncio.sleep(1)
            host.sockets[0].cut(code)
            await asyncio.sleep(10)

        lived(host, leave)
        assert host.times == [0, pytest.approx(13.2, abs=0.01)] and host.tickets == [None, "b"]


def test_a_server_that_does_not_close_after_bye_is_left() -> None:
    host = Host(hello(), hello())

    async def stay(_: Client) -> None:
        host.sockets[0].deliver({"type": "bye", "reconnect_after_ms": 3_000})
        await asyncio.sleep(20)

    lived(host, stay)
    assert host.times == [0, pytest.approx(4.0, abs=0.01)]


def test_silence_is_met_by_a_ping_and_a_dead_connection_is_left() -> None:
    host = Host(hello(ping=1_000), hello())
    host.is_deaf = True

    async def be_silent(_: Client) -> None:
        await asyncio.sleep(10)
        assert len(host.sockets[0].commands("ping")) == 1 and len(host.times) == 1
        await asyncio.sleep(10)

    lived(host, be_silent)
    assert 11 <= host.times[1] <= 11.6


def test_an_answered_ping_keeps_the_connection() -> None:
    host = Host(hello(ping=1_000))

    lived(host, lambda _: asyncio.sleep(60))
    assert len(host.times) == 1 and 50 <= len(host.sockets[0].commands("ping")) <= 60


def test_a_command_without_an_answer_ends_the_connection_if_nothing_arrives() -> None:
    host = Host(hello(), hello())

    async def send(client: Client) -> None:
        await asyncio.sleep(10)
        client.send("a", "Hello")
        await asyncio.sleep(19)
        host.sockets[0].deliver(message(1))
        await asyncio.sleep(19)
        assert len(host.times) == 1, "the connection still delivers"
        await asyncio.sleep(10)

    lived(host, send)
    assert host.times[1] == pytest.approx(49, abs=1)


def test_a_handshake_takes_at_most_15_seconds() -> None:
    class Slow(Host):
        def _command(self, socket: FakeSocket, command: dict[str, Any]) -> None:
            raise AssertionError("no command before hello")

        def _handshake(self, headers: Mapping[str, str], ticket: str | None) -> Handshake:
            return FakeSocket()

    host = Slow()

    async def work() -> None:
        with pytest.raises(ParleyError, match="timeout"):
            async with Client("http://test", Token("t"), transport=host.transport, timeout=40):
                pass

    run(work())
    assert host.times[0] == 0 and 15 <= host.times[1] <= 15.6 and len(host.times) == 3


def test_a_refused_resume_is_repeated_on_another_connection() -> None:
    class Busy(Host):
        def _command(self, socket: FakeSocket, command: dict[str, Any]) -> None:
            if "resume" in command and len(self.sockets) == 1:
                fields = {"code": "rate_limited", "message": "", "retryable": True, "retry_after_ms": 4_000}
                socket.deliver({"type": "error", "ref": command["ref"], **fields})
            else:
                super()._command(socket, command)

    host = Busy()
    lived(host, lambda _: asyncio.sleep(0))
    assert 4 <= host.times[1] <= 4.6


def test_a_late_resume_is_made_up_for_by_history() -> None:
    class Late(Host):
        def _command(self, socket: FakeSocket, command: dict[str, Any]) -> None:
            if "resume" in command and len(self.sockets) == 2:
                fields = {"code": "bad_request", "message": "", "retryable": False}
                socket.deliver({"type": "error", "ref": command["ref"], **fields})
            elif "history" in command:
                page = {"type": "page", "ref": command["ref"], "thread_id": "a", "epoch": "e1", "head_seq": 2}
                socket.deliver({**page, "events": [message(1), message(2)]})
            else:
                super()._command(socket, command)

    host = Late(hello(0), hello(2))

    async def cut(client: Client) -> None:
        stream = client.messages("a")
        host.sockets[0].cut(1001)
        assert [(await anext(stream)).seq for _ in range(2)] == [1, 2]

    lived(host, cut)
    assert len(host.times) == 2


def test_what_is_cancelled_leaves_no_task() -> None:
    host = Host()

    async def work() -> None:
        client = host.client()
        await client.connect()
        before = len(asyncio.all_tasks())
        await client.close()
        assert before > 1 and len(asyncio.all_tasks()) == 1
        assert not host.sockets[0].is_open and client.state == "ended"

    run(work())
