import os
import signal
import time
from pathlib import Path

from django.db import transaction
from django.db.models import F

from parley_client import Deleted, LogEvent, Message
from parley_django import on_event
from shop.models import Handled, Total


@on_event(Message)
def count(message: Message, id: str) -> None:
    Total.objects.get_or_create(thread=message.thread_id)
    Total.objects.filter(thread=message.thread_id).update(count=F("count") + 1)
    if message.text == "refuse me" and not Path(os.environ["SHOP_REPAIRED"]).exists():
        raise ValueError("the text is refused")


@on_event(Message, Deleted)
def record(event: Message | Deleted, id: str) -> None:
    Handled.objects.create(event=id, text=event.text if isinstance(event, Message) else "deleted")


@on_event(Message)
def end(message: Message, id: str) -> None:
    """Ends the process, where the test wants it."""
    place, _, number = os.environ.get("SHOP_KILL", "").partition(":")
    if not place or message.seq < int(number):
        return
    if place == "slow":
        # Long enough for a signal to arrive, which must not interrupt it.
        Path(os.environ["SHOP_REPAIRED"]).touch()
        time.sleep(0.5)
    elif place == "handler":
        os.kill(os.getpid(), signal.SIGKILL)
    elif place == "commit":
        transaction.on_commit(lambda: os.kill(os.getpid(), signal.SIGKILL))
    elif place == "after":
        transaction.on_commit(lambda: 1 / 0)


@on_event(LogEvent, consumer="everything")
def note(event: LogEvent, id: str) -> None:
    Handled.objects.create(event=id, text=event.__class__.__name__)
