"""Records every event that a webhook or a group of readers brings, before it is accepted or acknowledged."""

import json
import os
from dataclasses import asdict

from parley_client import LogEvent
from parley_django import on_event
from recorder.models import Arrival


def body(event: LogEvent) -> str:
    return json.dumps({"type": type(event).__name__, **asdict(event)}, sort_keys=True)


def record(transport: str, event: LogEvent, id: str) -> None:
    Arrival.objects.create(transport=transport, process=os.getpid(), event=id, body=body(event))


@on_event(LogEvent, consumer="webhook")
def record_webhook(event: LogEvent, id: str) -> None:
    record("webhook", event, id)


@on_event(LogEvent, consumer="group")
def record_group(event: LogEvent, id: str) -> None:
    record("group", event, id)
