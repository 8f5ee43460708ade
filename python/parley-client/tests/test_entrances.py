"""Groups, invitations, requests and links, and what a suspended user is told."""

from __future__ import annotations

import json

from parley_client import Invitation, Link, LinkTarget, MyInvitation, MyRequest, User
from support import response, run
from test_rest import LOST, ME, code_of, rest


def test_the_ways_into_a_thread_are_made_and_asked_for() -> None:
    names = {"user": {"id": "u", "username": "u"}, "by": {"id": "v", "username": "v"}}
    invitation = {"thread_id": "a", **names, "since_ms": 1}
    thread = {"id": "a", "title": "A", "kind": "group", "visibility": "private"}
    request = {"thread_id": "a", "since_ms": 1, "until_ms": 2}
    link = {"id": "l", "thread_id": "a", "by_id": "v", "since_ms": 1, "used": 0}
    member = {"thread_id": "a", "user": names["user"], "role": "owner"}
    target = {"thread": {"title": "A", "kind": "room", "visibility": "private"}, "members": 12, "is_member": False}
    api, transport = rest(
        response(201, thread),
        response(200, member),
        response(201, {**invitation, "text": "Come", "until_ms": 9}),
        response(200, thread),
        response(201, request),
        response(201, member),
        response(201, {**link, "code": "c", "uses": 3}),
        response(200, target),
        response(201, {**thread, "visible_from": 48}),
        response(200, {"requests": [{**request, "text": "Please"}]}),
        response(200, {"links": [link]}),
        response(200, {**thread, "history": "since_joining"}),
        response(204),
    )
    assert run(api.create_group(["name:b"], history="since_joining")).kind == "group"
    assert run(api.set_owner("a", "id:u")).role == "owner"
    expected = Invitation("a", User("u", "u"), User("v", "v"), 1, "Come", 9)
    assert run(api.invite("a", "id:u", text="Come", seconds=60)) == expected
    assert run(api.accept_invitation("a/b")).visible_from is None
    assert run(api.request_entrance("a")) == MyRequest("a", 1, 2)
    assert run(api.accept_request("a", "id:u")).user.id == "u"
    assert run(api.create_link("a", uses=3)) == Link("l", "a", "v", 1, 0, uses=3, code="c")
    assert run(api.link("x/y")) == LinkTarget("A", "room", "private", 12, False)
    assert run(api.join_link("c")).visible_from == 48
    assert run(api.my_requests()) == [MyRequest("a", 1, 2, "Please")]
    assert run(api.links("a")) == [Link("l", "a", "v", 1, 0)]
    assert run(api.set_history("a", "since_joining")).history == "since_joining"
    run(api.withdraw_invitation("a", "id:u"))
    run(api.decline_invitation("a"))
    run(api.withdraw_request("a"))
    run(api.refuse_request("a", "id:u"))
    run(api.revoke_link("a", Link("l", "a", "v", 1, 0)))
    assert [(method, path, json.loads(body) if body else None) for method, path, _, body in transport.calls] == [
        ("POST", "/v1/threads", {"kind": "group", "members": ["name:b"], "history": "since_joining"}),
        ("POST", "/v1/threads/a/owner", {"user": "id:u"}),
        ("PUT", "/v1/threads/a/invitations/id%3Au", {"text": "Come", "seconds": 60}),
        ("POST", "/v1/me/invitations/a%2Fb/accept", None),
        ("POST", "/v1/threads/a/requests", {}),
        ("POST", "/v1/threads/a/requests/id%3Au/accept", None),
        ("POST", "/v1/threads/a/links", {"uses": 3}),
        ("GET", "/v1/links/x%2Fy", None),
        ("POST", "/v1/links/c", None),
        ("GET", "/v1/me/requests", None),
        ("GET", "/v1/threads/a/links", None),
        ("PATCH", "/v1/threads/a", {"history": "since_joining"}),
        ("DELETE", "/v1/threads/a/invitations/id%3Au", None),
        ("DELETE", "/v1/me/invitations/a", None),
        ("DELETE", "/v1/me/requests/a", None),
        ("DELETE", "/v1/threads/a/requests/id%3Au", None),
        ("DELETE", "/v1/threads/a/links/l", None),
    ]


def test_lists_of_invitations_and_requests_have_pages() -> None:
    by = {"id": "v", "username": "v"}
    mine = {"thread": {"id": "a", "title": "A", "kind": "room"}, "by": by, "since_ms": 1}
    pages = [{"invitations": [mine], "next_cursor": "c"}, {"invitations": [], "next_cursor": None}]
    api, transport = rest(*(response(200, page) for page in pages))

    async def invitations() -> list[MyInvitation]:
        return [each async for each in api.my_invitations()]

    assert [each.thread.id for each in run(invitations())] == ["a"]
    assert [path for _, path, _, _ in transport.calls] == [
        f"/v1/me/invitations?limit=200{more}" for more in ("", "&cursor=c")
    ]


def test_a_lost_answer_makes_no_second_group_or_link() -> None:
    api, transport = rest(LOST, ME)
    assert code_of(api.create_group(["b"])).code == "disconnected"
    assert code_of(rest(LOST, ME)[0].create_link("a")).code == "disconnected"
    assert len(transport.calls) == 1


def test_a_suspension_has_its_end_and_its_reason() -> None:
    fields = {"code": "suspended", "message": "until then", "until_ms": 5, "reason": "spam"}
    api, _ = rest(response(403, {"error": fields}))
    error = code_of(api.me())
    assert (error.code, error.until_ms, error.reason, error.retryable) == ("suspended", 5, "spam", False)
    api, _ = rest(response(403, {"error": {"code": "suspended", "message": "", "until_ms": "soon", "reason": 7}}))
    error = code_of(api.me())
    assert (error.code, error.until_ms, error.reason) == ("suspended", None, None)
