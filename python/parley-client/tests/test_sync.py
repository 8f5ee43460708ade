"""The facade without ``async``."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator

import pytest

from parley_client import ApiKey, Client, ParleyError, Rest, sync
from parley_client.portal import portal
from parley_client.rest_base import RestBase

#: The methods that the facade leaves out, since they serve calls of one's own, or wait by themselves.
REST_ONLY = {"call", "fetch", "list_of", "headers", "renew"}
CLIENT_ONLY = {"connect", "settled", "state", "error", "rest", "watch", "authenticate"}


def public(type: type) -> dict[str, object]:
    members = inspect.getmembers(type)
    return {name: each for name, each in members if not name.startswith("_")}


def parameters(function: object) -> dict[str, object]:
    assert callable(function)
    return {name: each.default for name, each in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize(
    ("type", "facade", "missing"), [(Rest, sync.Rest, REST_ONLY), (Client, sync.Client, CLIENT_ONLY)]
)
def test_the_facade_has_every_call_with_its_parameters(type: type, facade: type, missing: set[str]) -> None:
    assert set(public(type)) - missing == set(public(facade))
    for name, member in public(type).items():
        if name in missing or name in {"close", "messages", "events"} or not callable(member):
            continue
        assert parameters(public(facade)[name]) == parameters(member), name


def test_it_refuses_to_block_an_event_loop() -> None:
    async def work() -> None:
        with pytest.raises(RuntimeError, match="asynchronous"):
            sync.Rest("http://127.0.0.1:1", ApiKey("k")).me()

    asyncio.run(work())


def test_errors_and_ends_cross_the_threads() -> None:
    async def two() -> AsyncIterator[int]:
        yield 1
        yield 2

    assert list(portal.iterate(two())) == [1, 2]

    async def fails() -> None:
        raise ParleyError("conflict")

    with pytest.raises(ParleyError, match="conflict"):
        portal.run(fails())
    with pytest.raises(ParleyError, match="timeout"):
        portal.run(asyncio.sleep(60), timeout=0.01)


def test_one_object_makes_one_connection_for_each_process() -> None:
    made = []

    def credentials() -> ApiKey:
        made.append(0)
        return ApiKey("k")

    rest = sync.Rest("http://127.0.0.1:1", credentials)
    assert made == []
    assert rest._rest is rest._rest and len(made) == 1
    assert rest.as_user("ann")._rest._transport is rest._rest._transport
    assert isinstance(rest._rest, RestBase)
    # As after a fork.
    assert rest._made is not None
    rest._made = (-1, rest._made[1])
    assert rest._rest is rest._rest and len(made) == 2
    rest.close()
