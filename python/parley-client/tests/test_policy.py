"""The delays and the reactions of Tests/Fixtures/client-behaviour.json."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from parley_client.policy import MILLISECONDS, close_reaction, pause_after_refusal, wait_before
from support import FIXTURES


def behaviour() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FIXTURES / "client-behaviour.json").read_text())
    return loaded


def test_the_delays_are_those_of_all_clients() -> None:
    expected = {name: each["value"] for name, each in behaviour()["milliseconds"].items()}
    # The load generator's own.
    del expected["backOffCapOfBots"]
    assert expected == MILLISECONDS


def test_every_close_code_has_the_reaction_of_all_clients() -> None:
    expected = {
        code: each["reaction"] for each in behaviour()["closeCodes"] for code in range(each["from"], each["to"] + 1)
    }
    assert {code: close_reaction(code) for code in expected} == expected
    assert close_reaction(None) == close_reaction(1006)


def test_delays_are_uniform_below_a_bound_that_doubles_up_to_its_cap() -> None:
    for attempt, bound in [(0, 0.5), (1, 1.0), (5, 16.0), (6, 30.0), (60, 30.0), (10_000, 30.0)]:
        waits = [wait_before(attempt, "back-off", Random(seed)) for seed in range(300)]
        assert 0 <= min(waits) < 0.05 * bound
        assert 0.95 * bound < max(waits) <= bound


def test_only_the_first_attempt_is_made_at_once() -> None:
    for reaction in ("now", "renew"):
        assert wait_before(0, reaction, Random(1)) == 0
        assert wait_before(1, reaction, Random(1)) > 0


def test_later_and_moment_pause_before_the_delay() -> None:
    later = [wait_before(0, "later", Random(seed)) for seed in range(300)]
    moment = [wait_before(0, "moment", Random(seed)) for seed in range(300)]
    assert min(later) >= 1.0 and max(later) <= 1.5
    assert min(moment) < 0.3 and 1.8 < max(moment) <= 2.5


def test_a_refusal_is_repeated_after_what_it_asks_for_or_a_random_pause() -> None:
    assert pause_after_refusal(1.5, Random(1)) == 1.5
    pauses = [pause_after_refusal(0, Random(seed)) for seed in range(300)]
    assert 0.2 <= min(pauses) < 0.3 and 1.9 < max(pauses) <= 2.0
