"""Webhooks, as Standard Webhooks describes them (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from . import decoding
from .errors import MalformedAnswer, ParleyError
from .models import StoredEvent

#: The seconds by which the time of a request may differ from the present time.
TOLERANCE = 300
#: The most secrets and the most signatures that are compared.
_MAXIMUM = 8
#: The bytes that a shared secret may have.
_SHARED = range(24, 65)
_PUBLIC = 32


class BadSignature(ParleyError):
    """A request is not from Parley, or too old: ``bad_signature``."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_signature", message, status=401)


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """A verified request. ``id`` is the same whenever it is sent again."""

    id: str
    #: The time of this attempt, in Unix seconds.
    timestamp: int
    events: tuple[StoredEvent, ...]


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Iterable[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> WebhookRequest:
    """The events of a request, whose signature is verified first.

    :param body: the bytes as they came, before anything has decoded them
    :param headers: of any case
    :param secrets: ``whsec_…``, or ``whpk_…`` of an Ed25519 key, which needs the package ``cryptography``; several
        while they are rotated
    :param tolerance: the seconds by which the time of the request may differ from ``now``
    :param now: the present time in Unix seconds
    :raises BadSignature: the request is not from Parley, or too old
    :raises MalformedAnswer: the signature is valid, and the body is in another format
    :raises ValueError: a secret is not one
    """
    keys = _keys([secrets] if isinstance(secrets, str) else secrets)
    fields = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not fields.get(name):
            raise BadSignature(f"the header {name} is missing")
    id, text = fields["webhook-id"], fields["webhook-timestamp"]
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise BadSignature("webhook-timestamp is not a number of seconds")
    timestamp = int(text)
    if abs((time.time() if now is None else now) - timestamp) > tolerance:
        raise BadSignature(f"webhook-timestamp differs by more than {tolerance:g} seconds from the present time")
    content = f"{id}.{text}.".encode() + body
    signatures = [each.partition(",") for each in fields["webhook-signature"].split(" ")[:_MAXIMUM]]
    if not any(
        _is_valid(key, content, signature, is_public)
        for is_public, key in keys
        for version, _, signature in signatures
        if version == ("v1a" if is_public else "v1")
    ):
        raise BadSignature("webhook-signature has no valid signature")
    return WebhookRequest(id, timestamp, _events(body))


def check_secrets(secrets: Iterable[str]) -> None:
    """
    :raises ValueError: one of them is no secret, or there are too many
    """
    _keys(secrets)


def _keys(secrets: Iterable[str]) -> list[tuple[bool, bytes]]:
    """Whether a key is public, and its bytes."""
    keys = []
    for secret in secrets:
        prefix, _, encoded = secret.partition("_")
        is_public = prefix == "whpk"
        try:
            key = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if not ((is_public and len(key) == _PUBLIC) or (prefix == "whsec" and len(key) in _SHARED)):
            # The secret itself is not shown.
            raise ValueError("a webhook secret is whsec_ or whpk_, and base64 of 24 to 64 bytes, or of 32 for whpk_")
        keys.append((is_public, key))
    if not 1 <= len(keys) <= _MAXIMUM:
        raise ValueError(f"1 to {_MAXIMUM} webhook secrets are allowed, not {len(keys)}")
    return keys


def _is_valid(key: bytes, content: bytes, signature: str, is_public: bool) -> bool:
    try:
        known = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return False
    if not is_public:
        return hmac.compare_digest(hmac.new(key, content, hashlib.sha256).digest(), known)
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ValueError("whpk_ needs the package cryptography; whsec_ does not") from error
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(known, content)
    except InvalidSignature:
        return False
    return True


def _events(body: bytes) -> tuple[StoredEvent, ...]:
    try:
        fields = json.loads(body)
    except ValueError as error:
        raise MalformedAnswer("the body is no JSON") from error
    if not isinstance(fields, dict):
        raise MalformedAnswer("the body is no object")
    if "events" in fields:
        return tuple(decoding.stored_event(each) for each in decoding.objects(fields, "events"))
    return (decoding.stored_event(fields),)
