"""The client of this site, one for each process."""

from __future__ import annotations

from typing import Any

from parley_client import ApiKey
from parley_client.sync import Rest

from . import conf

_client: Rest | None = None


def client() -> Rest:
    """The calls of the back end, with the site's API key: ``client().ban(room, "id:7")``.

    All threads of a process share it, and its forks.

    :raises ImproperlyConfigured: the setting ``PARLEY`` is wrong
    """
    global _client
    if _client is None:
        settings = conf.load()
        _client = Rest(settings.url, ApiKey(settings.api_key))
    return _client


def as_user(user: Any) -> Rest:
    """The calls of a user of the site: ``as_user(request.user).ticket()``.

    :param user: an object with ``pk``, which is the user's ID in Parley
    """
    return client().as_user(f"id:{user.pk}")


def replace(other: Rest | None) -> Rest | None:
    """Uses another client from now on, or makes one when it is needed. Returns the client so far."""
    global _client
    before, _client = _client, other
    return before


def forget(*, setting: str, **kwargs: Any) -> None:
    """Makes another client when the setting has changed, as in tests."""
    if setting == "PARLEY":
        replace(None)
