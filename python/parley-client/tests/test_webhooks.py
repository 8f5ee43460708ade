"""The signatures are those of the server's tests (WebhookKeyTests)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from parley_client import BadSignature, MalformedAnswer, Message, verify_webhook
from parley_client.webhooks import check_secrets

SHARED = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
PUBLIC = "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
BODY = '{"id":"chat_team:0a:7","event":{"type":"message","text":"Grüße"}}'.encode()
TIME = 1_795_255_200
FIRST = "v1,ppRqe3hPsQn5AKdrJLSCyWNd1Ip8UZiyw5+ZnS+vcSo="
SECOND = "v1a,bO0vyhfPYTWEWMpEHH94atu/Q52U5r0qvlYV5QrkYnnD9s/Rv20iTUJoIgJs6ksdIKqycB/4Qiuu3dqMNo6SDQ=="
HEADERS = {
    "Webhook-Id": "chat_team%3A0a%3A7",
    "Webhook-Timestamp": str(TIME),
    "Webhook-Signature": f"{FIRST} {SECOND}",
}
OTHER = "whsec_" + base64.b64encode(b"x" * 24).decode()


def signed(body: bytes, id: str = "a", secret: str = SHARED) -> dict[str, str]:
    key = base64.b64decode(secret.partition("_")[2])
    code = hmac.new(key, f"{id}.{TIME}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": id,
        "webhook-timestamp": str(TIME),
        "webhook-signature": "v1," + base64.b64encode(code).decode(),
    }


def test_the_shared_secret_verifies_the_signature_of_the_server() -> None:
    request = verify_webhook(BODY, HEADERS, SHARED, now=TIME)
    assert (request.id, request.timestamp) == ("chat_team%3A0a%3A7", TIME)
    assert [stored.id for stored in request.events] == ["chat_team:0a:7"]


def test_the_public_key_verifies_the_signature_of_the_server() -> None:
    pytest.importorskip("cryptography")
    assert verify_webhook(BODY, HEADERS, PUBLIC, now=TIME) == verify_webhook(BODY, HEADERS, SHARED, now=TIME)


@pytest.mark.parametrize("kept", [FIRST, SECOND])
def test_one_valid_signature_of_several_is_enough(kept: str) -> None:
    if kept == SECOND:
        pytest.importorskip("cryptography")
    wrong = "v1," + "A" * 43 + "="
    headers = HEADERS | {"Webhook-Signature": f"v9,abc {wrong} {kept}"}
    verify_webhook(BODY, headers, [OTHER, SHARED, PUBLIC], now=TIME)


@pytest.mark.parametrize(
    "change",
    [
        {"Webhook-Id": "chat_team%3A0a%3A8"},
        {"Webhook-Id": ""},
        {"Webhook-Timestamp": str(TIME + 1)},
        {"Webhook-Timestamp": "-1"},
        {"Webhook-Timestamp": "9" * 400},
        {"Webhook-Timestamp": "\u0661"},
        {"Webhook-Signature": ""},
        {"Webhook-Signature": "v1,"},
        {"Webhook-Signature": "v1,ä"},
        {"Webhook-Signature": FIRST.replace("v1,", "v1a,")},
        {"Webhook-Signature": FIRST.removeprefix("v1,")},
        {"Webhook-Signature": " ".join(["v1,AAAA"] * 8 + [FIRST])},
    ],
)
def test_other_headers_are_refused(change: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        verify_webhook(BODY, HEADERS | change, SHARED, now=TIME)


def test_another_body_secret_or_kind_of_secret_is_refused() -> None:
    with pytest.raises(BadSignature):
        verify_webhook(BODY + b" ", HEADERS, SHARED, now=TIME)
    with pytest.raises(BadSignature):
        verify_webhook(BODY, HEADERS, OTHER, now=TIME)
    with pytest.raises(BadSignature):
        verify_webhook(BODY, HEADERS | {"Webhook-Signature": FIRST}, PUBLIC, now=TIME)


def test_a_request_is_valid_for_some_minutes() -> None:
    for now in (TIME - 300, TIME + 300):
        verify_webhook(BODY, HEADERS, SHARED, now=now)
    for now in (TIME - 301, TIME + 301):
        with pytest.raises(BadSignature, match="present time"):
            verify_webhook(BODY, HEADERS, SHARED, now=now)
    with pytest.raises(BadSignature):
        verify_webhook(BODY, HEADERS, SHARED)


@pytest.mark.parametrize("secrets", ["", "whsec_", "whsec_AAAA", "whsk_" + SHARED[6:], "whpk_AAAA", [], [SHARED] * 9])
def test_other_secrets_are_an_error_of_the_caller(secrets: Any) -> None:
    with pytest.raises(ValueError) as error:
        verify_webhook(BODY, HEADERS, secrets, now=TIME)
    assert "AAAA" not in str(error.value)
    check_secrets([SHARED, PUBLIC])


def test_a_batch_has_its_events_in_order() -> None:
    def line(seq: int) -> dict[str, Any]:
        event = {"type": "message", "thread_id": "chat_team", "epoch": "0a", "seq": seq}
        return {"id": f"chat_team:0a:{seq}", "event": event}

    body = json.dumps({"events": [line(1), line(2)]}).encode()
    request = verify_webhook(body, signed(body, "batch"), SHARED, now=TIME)
    assert [stored.id for stored in request.events] == ["chat_team:0a:1", "chat_team:0a:2"]
    assert not isinstance(request.events[0].event, Message)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"events":1}', b'{"events":[1]}', b'{"id":"a"}', b"\xff"])
def test_another_format_is_refused_after_the_signature(body: bytes) -> None:
    with pytest.raises(MalformedAnswer):
        verify_webhook(body, signed(body), SHARED, now=TIME)
    with pytest.raises(BadSignature):
        verify_webhook(body, signed(body, secret=OTHER), SHARED, now=TIME)
