"""The view of webhooks, called as Parley calls it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings

from event_server import event_id, stored_message
from parley_django import conf
from shop.models import Handled, Total

pytestmark = pytest.mark.usefixtures("database", "secrets")

KEYS = [bytes(range(32)), b"n" * 24]
SECRETS = ["whsec_" + base64.b64encode(key).decode() for key in KEYS]


@pytest.fixture
def secrets() -> Iterator[None]:
    with override_settings(PARLEY=settings.PARLEY | {"WEBHOOK_SECRETS": SECRETS}):
        yield


def post(content: Any, *, key: bytes = KEYS[0], path: str = "/parley/webhook/", at: float | None = None) -> Any:
    body, seconds = json.dumps(content).encode(), str(int(time.time() if at is None else at))
    code = hmac.new(key, f"a.{seconds}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(code).decode()
    headers = {"Webhook-Id": "a", "Webhook-Timestamp": seconds, "Webhook-Signature": signature}
    client = Client(enforce_csrf_checks=True)
    return client.post(path, data=body, content_type="application/json", headers=headers)


def line(seq: int, text: str = "") -> dict[str, Any]:
    event = stored_message(seq, text)
    return {"id": event_id(event), "event": event}


@pytest.mark.parametrize("key", KEYS)
def test_an_event_reaches_its_handlers_with_either_secret(key: bytes) -> None:
    assert post(line(1, "Hello"), key=key).status_code == 204
    assert list(Handled.objects.values_list("event", "text")) == [("a:e:1", "Hello")]


def test_a_batch_reaches_them_in_order() -> None:
    assert post({"events": [line(1), line(2), line(3)]}).status_code == 204
    assert list(Handled.objects.values_list("event", flat=True)) == ["a:e:1", "a:e:2", "a:e:3"]


def test_another_consumer_has_its_own_path() -> None:
    assert post(line(1), path="/parley/everything/").status_code == 204
    assert list(Handled.objects.values_list("text", flat=True)) == ["Message"]


def test_a_batch_with_an_event_that_a_handler_refuses_changes_nothing() -> None:
    answer = post({"events": [line(1), line(2, "refuse me")]})
    assert answer.status_code == 500
    assert "refused" not in answer.content.decode()
    assert not Handled.objects.exists()
    assert not Total.objects.exists()


def test_requests_of_others_are_refused() -> None:
    for answer in (post(line(1), key=b"x" * 32), post(line(1), at=time.time() - 1_000)):
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_signature")
    assert Client().post("/parley/webhook/").status_code == 401
    assert Client().get("/parley/webhook/").status_code == 405
    assert not Handled.objects.exists()


def test_another_format_and_a_body_that_is_too_large_are_refused() -> None:
    assert post([]).status_code == 400
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=10):
        assert post(line(1)).status_code == 413


def test_secrets_are_checked_with_the_other_settings() -> None:
    assert conf.load().webhook_secrets == tuple(SECRETS)
    for wrong in ("whsec_AAAA", ["whsec_AAAA"], [1], []):
        with override_settings(PARLEY=settings.PARLEY | {"WEBHOOK_SECRETS": wrong}):
            problems = list(conf.problems())
            assert [problem.number for problem in problems] == [8]
            assert "AAAA" not in problems[0].message + problems[0].hint
    without = {name: value for name, value in settings.PARLEY.items() if name != "WEBHOOK_SECRETS"}
    with override_settings(PARLEY=without), pytest.raises(ImproperlyConfigured, match="WEBHOOK_SECRETS"):
        post(line(1))
