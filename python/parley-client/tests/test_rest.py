"""REST calls, uploads and downloads, against a transport that the test answers."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest

from parley_client import (
    ApiKey,
    ImportFailure,
    Mute,
    ParleyError,
    Part,
    Rest,
    Sanction,
    Token,
    User,
)
from parley_client.models import JSON
from parley_client.transport import Response, Stream, refusal
from support import FakeTransport, fixed_random, message, response, run

Answer = Response | ParleyError


def rest(*answers: Answer, credentials: Any = None) -> tuple[Rest, FakeTransport]:
    transport = FakeTransport(lambda *_: ParleyError("x"))
    left = list(answers)
    transport.respond = lambda *_: left.pop(0) if len(left) > 1 else left[0]
    return Rest("http://test", credentials or Token("t"), transport=transport, random=fixed_random()), transport


def code_of(work: Coroutine[Any, Any, Any]) -> ParleyError:
    with pytest.raises(ParleyError) as caught:
        run(work)
    return caught.value


BUSY = response(503, {"error": {"code": "unavailable", "message": "no database"}}, headers={"Retry-After": "1"})
LOST = ParleyError("disconnected", retryable=True)
ME = response(200, {"id": "1", "username": "ann"})


def test_calls_are_repeated_while_the_server_is_busy() -> None:
    api, transport = rest(BUSY, LOST, response(429, headers={"Retry-After": "2"}), ME)
    assert run(api.me()).username == "ann"
    assert len(transport.calls) == 4
    api, transport = rest(BUSY)
    error = code_of(api.me())
    assert (error.code, error.message, error.status, error.retry_after) == ("unavailable", "no database", 503, 1.0)
    assert len(transport.calls) == 5


def test_a_caller_does_not_wait_longer_than_half_a_minute() -> None:
    api, transport = rest(response(429, headers={"Retry-After": "3600"}))
    assert code_of(api.me()).retry_after == 3600
    assert len(transport.calls) == 1


def test_what_may_have_happened_is_not_repeated_unless_that_is_safe() -> None:
    api, transport = rest(LOST, ME)
    assert code_of(api.sign_up("ann", "secret")).code == "disconnected"
    assert len(transport.calls) == 1
    api, transport = rest(BUSY, ME)
    run(api.sign_up("ann", "secret"))
    assert len(transport.calls) == 2


def test_a_send_is_repeated_under_its_id() -> None:
    ack = {"type": "ack", "level": "accepted", "thread_id": "a b", "epoch": "e", "seq": 3, "date_ms": 1, "id": "m"}
    api, transport = rest(LOST, BUSY, response(201, ack))
    assert run(api.send("a b", "Hello", parts=[Part(attachment="f")])).seq == 3
    ids = {headers["Idempotency-Key"] for _, _, headers, _ in transport.calls}
    assert len(ids) == 1 and len(transport.calls) == 3
    assert transport.calls[0][1] == "/v1/threads/a%20b/messages"
    assert json.loads(transport.calls[0][3] or b"") == {"text": "Hello", "parts": [{"attachment": "f"}]}


def test_paths_are_spelled_as_the_server_does() -> None:
    api, transport = rest(response(204))
    run(api.react("a/b", "m", "👍🏽", False))
    assert transport.calls[0][:2] == ("DELETE", "/v1/threads/a%2Fb/messages/m/reactions/%F0%9F%91%8D%F0%9F%8F%BD")


def test_401_asks_the_provider_once() -> None:
    tokens = iter(["old", "new", "newest"])
    api, transport = rest(response(401), ME, credentials=Token(lambda: next(tokens)))
    run(api.me())
    assert [headers["Authorization"] for _, _, headers, _ in transport.calls] == ["Bearer old", "Bearer new"]
    api, transport = rest(response(401), credentials=Token(lambda: "t"))
    assert code_of(api.me()).code == "unauthorized"
    assert len(transport.calls) == 2


def test_an_api_key_acts_for_users() -> None:
    api, transport = rest(ME, credentials=ApiKey("pk_1"))
    run(api.me())
    run(api.as_user("id:7").me())
    run(api.me())
    users = [headers.get("X-Parley-User") for _, _, headers, _ in transport.calls]
    assert users == [None, "id:7", None]
    assert {headers["Authorization"] for _, _, headers, _ in transport.calls} == {"Bearer pk_1"}


def test_errors_of_proxies_have_codes_too() -> None:
    for status, code in [(502, "unavailable"), (429, "rate_limited"), (404, "not_found"), (418, "bad_request")]:
        error = refusal(status, {}, b"<html>")
        assert (error.code, error.status, error.retryable) == (code, status, status in (429, 502))
    error = refusal(409, {"Upload-Offset": "7"}, b'{"error":{"code":"conflict","message":"m"}}')
    assert (error.code, error.offset) == ("conflict", 7)


@pytest.mark.parametrize("answer", [{}, [], {"id": 7, "username": "ann"}, {"id": "1"}])
def test_an_answer_that_is_none_is_an_error(answer: Any) -> None:
    assert code_of(rest(response(200, answer))[0].me()).code == "bad_answer"
    assert code_of(rest(Response(200, {}, b"<html>", {}))[0].me()).code == "bad_answer"


def test_lists_are_read_to_their_end() -> None:
    def member(number: int) -> JSON:
        return {"thread_id": "a", "user": {"id": f"{number}", "username": f"u{number}"}, "role": "member"}

    pages = [{"members": [member(1), member(2)], "next_cursor": "c 1"}, {"members": [member(3)], "next_cursor": None}]
    api, transport = rest(*(response(200, page) for page in pages))

    async def names() -> list[str]:
        return [each.user.username async for each in api.members("a")]

    assert run(names()) == ["u1", "u2", "u3"]
    assert [path for _, path, _, _ in transport.calls] == [
        "/v1/threads/a/members?limit=200",
        "/v1/threads/a/members?limit=200&cursor=c 1",
    ]


def test_all_messages_are_read_to_their_end() -> None:
    def page(*seqs: int, more: bool) -> Response:
        fields = {"has_more_before": True, "has_more_after": more, "epoch": "e1", "head_seq": 9}
        return response(200, {"messages": [message(seq) for seq in seqs], **fields})

    api, transport = rest(page(2, 5, more=True), page(9, more=False))

    async def seqs() -> list[int]:
        return [each.seq async for each in api.all_messages("a")]

    assert run(seqs()) == [2, 5, 9]
    assert [path.split("?")[1] for _, path, _, _ in transport.calls] == [
        "after_seq=0&limit=200",
        "after_seq=5&limit=200",
    ]


def test_an_import_of_any_size_is_sent_in_parts() -> None:
    bodies: list[list[JSON]] = []

    def respond(method: str, path: str, body: bytes | None) -> Response:
        lines = [json.loads(line) for line in (body or b"").splitlines()]
        bodies.append(lines)
        errors = [{"line": 2, "code": "conflict", "message": "taken"}] if len(bodies) == 2 else []
        counts = {"users": len(lines) - len(errors), "threads": 0, "members": 0, "unchanged": 0}
        return response(200, {**counts, "errors": errors, "errors_omitted": 0})

    api, transport = rest(ME)
    transport.respond = respond
    records = [{"user": {"id": f"{number}", "username": f"u{number}"}} for number in range(2_500)]

    async def slowly() -> AsyncIterator[JSON]:
        for record in records:
            yield record

    for source in (iter(records), slowly()):
        bodies.clear()
        report = run(api.import_records(source))
        assert [len(lines) for lines in bodies] == [1_000, 1_000, 500]
        assert [record for lines in bodies for record in lines] == records
        assert (report.users, report.errors) == (2_499, (ImportFailure(1_002, "conflict", "taken"),))
    assert run(api.import_records([])).users == 0
    bodies.clear()
    run(api.import_records([{"user": {"id": "1", "username": "x" * 400_000}}] * 5))
    assert [len(lines) for lines in bodies] == [2, 2, 1], "a part has at most a megabyte"


def sanction(user: str, kind: str, **fields: Any) -> JSON:
    return {"thread_id": "a", "user": {"id": user, "username": user}, "kind": kind, "since_ms": 1, **fields}


def test_mutes_and_bans_are_listed_made_and_ended() -> None:
    pages = [
        {"sanctions": [sanction("u", "mute", until_ms=2, reason="spam", by_id="me")], "next_cursor": "c"},
        {"sanctions": [sanction("v", "ban")], "next_cursor": None},
    ]
    expected = [Sanction("a", User("u", "u"), "mute", 1, 2, "spam", "me"), Sanction("a", User("v", "v"), "ban", 1)]
    for admin in ("", "admin/"):
        api, transport = rest(*(response(200, page) for page in pages))

        async def listed(api: Rest = api, admin: str = admin) -> list[Sanction]:
            return [each async for each in (api.list_sanctions("a") if admin else api.sanctions("a"))]

        assert run(listed()) == expected
        paths = [path for _, path, _, _ in transport.calls]
        assert paths == [f"/v1/{admin}threads/a/sanctions?limit=200{more}" for more in ("", "&cursor=c")]
    api, transport = rest(response(200, sanction("u", "mute")))
    assert run(api.mute("a", "id:u", seconds=600, reason="spam")) == Sanction("a", User("u", "u"), "mute", 1)
    run(api.ban("a", "name:a/b"))
    run(api.put_sanction("a", "u", "ban", seconds=1))
    run(api.unmute("a", "u"))
    run(api.unban("a", "u"))
    run(api.take_sanction("a", "u", "mute"))
    assert [(method, path, json.loads(body) if body else None) for method, path, _, body in transport.calls] == [
        ("PUT", "/v1/threads/a/sanctions/id%3Au/mute", {"seconds": 600, "reason": "spam"}),
        ("PUT", "/v1/threads/a/sanctions/name%3Aa%2Fb/ban", {}),
        ("PUT", "/v1/admin/threads/a/sanctions/u/ban", {"seconds": 1}),
        ("DELETE", "/v1/threads/a/sanctions/u/mute", None),
        ("DELETE", "/v1/threads/a/sanctions/u/ban", None),
        ("DELETE", "/v1/admin/threads/a/sanctions/u/mute", None),
    ]


def test_a_refused_or_malformed_sanction_is_an_error() -> None:
    api, _ = rest(response(404, {"error": {"code": "not_found", "message": "no mute"}}))
    assert code_of(api.unmute("a", "u")).code == "not_found"
    api, _ = rest(response(200, sanction("u", "mute", until_ms="soon")))
    assert code_of(api.mute("a", "u")).code == "bad_answer"


def test_a_thread_has_its_mute() -> None:
    thread = {"id": "a", "title": "A", "kind": "room"}
    api, _ = rest(response(200, {**thread, "mute": {"until_ms": 2}}), response(200, thread))
    assert run(api.thread("a")).mute == Mute(2) and run(api.thread("a")).mute is None


class Uploads:
    """A server that loses the answers of some pieces."""

    def __init__(self, *faults: str) -> None:
        self.content = b""
        self.declared: JSON = {}
        self.faults = list(faults)

    def state(self) -> JSON:
        offset, size = len(self.content), self.declared["size"]
        common = {name: self.declared[name] for name in ("name", "type", "size")}
        return {"id": "f", "url": "/v1/attachments/f", **common, "offset": offset, "complete": offset == size}

    def respond(self, method: str, path: str, body: bytes | None) -> Answer:
        if method == "POST":
            self.declared = json.loads(body or b"")
            return response(201, self.state())
        if method == "HEAD":
            return response(200, headers={"Upload-Offset": f"{len(self.content)}"})
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "refused":
            return response(400, {"error": {"code": "bad_request", "message": "no"}})
        if fault == "conflict":
            return response(409, {"error": {"code": "conflict", "message": ""}}, headers={"Upload-Offset": "0"})
        self.content += (body or b"")[: 1_000 if fault == "half" else None]
        return LOST if fault else response(200, self.state())


def upload(server: Uploads, file: Any, **arguments: Any) -> Any:
    api, transport = rest(ME)
    transport.respond = server.respond
    return run(api.upload(file, **arguments))


def appending(progress: list[tuple[int, int]]) -> Callable[[int, int], None]:
    return lambda sent, total: progress.append((sent, total))


def test_an_upload_continues_where_it_was_interrupted(tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    path = tmp_path / "1.jpg"
    path.write_bytes(content)
    for file in (path, str(path), content, io.BytesIO(content)):
        server = Uploads("lost", "", "half", "conflict", "half")
        progress: list[tuple[int, int]] = []
        attachment = upload(server, file, name="1.jpg", progress=appending(progress))
        assert server.content == content and attachment.is_complete and attachment.part.attachment == "f"
        assert server.declared["sha256"] == hashlib.sha256(content).hexdigest()
        assert (server.declared["name"], server.declared["type"]) == ("1.jpg", "image/jpeg")
        assert progress[-1] == (len(content), len(content)) and progress == sorted(progress)


def test_an_upload_that_is_refused_ends() -> None:
    with pytest.raises(ParleyError, match="bad_request"):
        upload(Uploads("", "refused"), b"x" * 2_000_000)
    with pytest.raises(ParleyError, match="conflict"):
        upload(Uploads(*["conflict"] * 5), b"x")


CONTENT = bytes(range(256)) * 100


async def chunks(content: bytes, fails: bool) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 1_000):
        await asyncio.sleep(0)
        yield content[start : start + 1_000]
    if fails:
        raise LOST


Downloads = list[Callable[[str, Mapping[str, str]], Stream]]


def content_of(file: Any, streams: Downloads) -> bytes:
    api, transport = rest(ME)
    transport.streams = streams

    async def work() -> bytes:
        return b"".join([chunk async for chunk in api.content(file)])

    return run(work())


def test_a_download_continues_where_it_was_interrupted(tmp_path: Path) -> None:
    def first(url: str, headers: Mapping[str, str]) -> Stream:
        assert url == "/v1/attachments/f" and "Range" not in headers
        return Stream(200, {"ETag": '"1"'}, chunks(CONTENT[:5_000], True))

    def rest_of_it(url: str, headers: Mapping[str, str]) -> Stream:
        assert (headers["Range"], headers["If-Range"]) == ("bytes=5000-", '"1"')
        return Stream(206, {"ETag": '"1"'}, chunks(CONTENT[5_000:], False))

    def all_of_it(url: str, headers: Mapping[str, str]) -> Stream:
        return Stream(200, {}, chunks(CONTENT, False))

    assert content_of("f", [first, rest_of_it]) == CONTENT
    assert content_of(Part(attachment="f"), [first, all_of_it]) == CONTENT
    api, transport = rest(ME)
    transport.streams = [first, rest_of_it]
    assert run(api.download("f", tmp_path / "f")) == len(CONTENT)
    assert (tmp_path / "f").read_bytes() == CONTENT
    transport.streams = [lambda *_: Stream(404, {}, chunks(b"", False))]
    with pytest.raises(ParleyError, match="not_found"):
        run(api.download("f", tmp_path / "g"))
    assert [path.name for path in tmp_path.iterdir()] == ["f"], "a failed download leaves nothing"


def test_an_object_storage_does_not_see_the_credentials() -> None:
    def moved(url: str, headers: Mapping[str, str]) -> Stream:
        assert headers["Authorization"] == "Bearer t"
        return Stream(302, {"Location": "https://storage.example/f?signed"}, chunks(b"", False))

    def storage(url: str, headers: Mapping[str, str]) -> Stream:
        assert url == "https://storage.example/f?signed" and not headers
        return Stream(200, {}, chunks(CONTENT, False))

    assert content_of("f", [moved, storage]) == CONTENT
    with pytest.raises(ParleyError, match="bad_answer"):
        content_of("f", [moved] + [lambda *_: Stream(302, {"Location": "/x"}, chunks(b"", False))] * 3)


def test_only_files_of_the_server_are_loaded() -> None:
    for url in ("https://evil.example/f", "/v1/me", "/v1/attachments/../me", "//evil.example/v1/attachments/f"):
        with pytest.raises(ValueError):
            content_of(Part(type="image/png", url=url), [])


def test_a_file_that_is_refused_is_an_error() -> None:
    with pytest.raises(ParleyError, match="not_found"):
        content_of("f", [lambda *_: Stream(404, {}, chunks(b"", False))])
