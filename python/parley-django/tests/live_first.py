"""Runs the first lines of docs/events.md on a real server: live_first.py URL API_KEY. The program tests run it."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from new_site import blocks_of, new_site
from parley_client import ApiKey, sync

URL, KEY = sys.argv[1], sys.argv[2]


def send(operator: sync.Rest, text: str) -> None:
    """Sends a message, and waits until it is in the database: it is accepted before."""
    receipt = operator.as_user("id:7").send("tea", text)
    deadline = time.monotonic() + 30
    while not any(event.seq == receipt.seq for event in operator.events("tea", after_seq=receipt.seq - 1)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def main() -> None:
    handlers, settings, *_ = blocks_of(Path(__file__).parents[3] / "docs" / "events.md")
    records = [
        {"user": {"id": "7", "username": "ann"}},
        {"thread": {"id": "tea", "title": "Tea"}},
        {"member": {"thread": "tea", "user": "7"}},
    ]
    paths = os.environ["PYTHONPATH"].split(os.pathsep)
    with sync.Rest(URL, ApiKey(KEY)) as operator, tempfile.TemporaryDirectory() as folder:
        manage = new_site(Path(folder), settings, handlers, url=URL, key=KEY, paths=paths)
        operator.import_records(records)
        send(operator, "Hello")
        first = manage("parley_events", "--once")
        assert first.splitlines()[-1] == "ann Hello", first
        send(operator, "Again")
        assert manage("parley_events", "--once").splitlines()[1:] == ["ann Again"]
    print("each message was printed once")


main()
