"""Kills ``manage.py parley_events`` on a real server: live_kills.py URL API_KEY. The program tests run it.

Three processes follow the same stream while messages are written: one with its place in the site's database, and two
workers of a group. One of them is killed and started again, 20 times. Each begins as a fork of this process, which has
loaded Django, so that the kills meet its work and not its imports.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NoReturn

URL, KEY = sys.argv[1], sys.argv[2]
FOLDER = tempfile.TemporaryDirectory()
os.environ |= {
    "DJANGO_SETTINGS_MODULE": "shop.settings",
    "SHOP_PARLEY": URL,
    "SHOP_KEY": KEY,
    "SHOP_DATABASE": f"{FOLDER.name}/site.db",
    "SHOP_LEASE": "1",
}

import django  # noqa: E402

django.setup()

from django.core.management import call_command, execute_from_command_line  # noqa: E402
from django.db import connections  # noqa: E402

from parley_client import ApiKey, LogEvent, Rest, UnknownEvent, sync  # noqa: E402
from parley_django import on_event  # noqa: E402
from shop.models import Handled  # noqa: E402

KILLS = 20
SEED = int(os.environ.get("SEED", str(time.time_ns() % 1_000_000)))
#: A server may be used again.
THREADS = [f"kills{SEED}-{number}" for number in range(3)]
USERS = [f"{SEED}-{number}" for number in range(8)]
GROUP = f"kills{SEED}"
COMMANDS = {
    "table": ["--consumer", "table"],
    "w1": ["--consumer", "group", "--group", GROUP, "--worker", "w1"],
    "w2": ["--consumer", "group", "--group", GROUP, "--worker", "w2"],
}


def fact(event: LogEvent) -> str:
    """Everything about an event that never changes, and that the history has too."""
    assert not isinstance(event, UnknownEvent), event
    message = getattr(event, "message_id", getattr(event, "id", ""))
    return f"{event.thread_id} {event.epoch} {event.seq} {event.date_ms} {type(event).__name__} {message}"


def note(consumer: str, event: LogEvent, id: str) -> None:
    if event.thread_id in THREADS:
        Handled.objects.create(event=id, text=f"{consumer} {os.getpid()} {fact(event)}")


@on_event(LogEvent, consumer="table")
def note_by_table(event: LogEvent, id: str) -> None:
    note("table", event, id)


@on_event(LogEvent, consumer="group")
def note_by_group(event: LogEvent, id: str) -> None:
    note("group", event, id)


def fork(work: Callable[[], object], output: str) -> int:
    """Runs a function in a process of its own, with its output in a file."""
    connections.close_all()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        descriptor = os.open(f"{FOLDER.name}/{output}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        work()
        status = 0
    except BaseException as error:
        print(f"{error!r}", file=sys.stderr)
    finally:
        os._exit(status)


def follow(name: str) -> int:
    arguments = ["manage.py", "parley_events", *COMMANDS[name]]
    return fork(lambda: execute_from_command_line(arguments), name)


def end(pid: int) -> int:
    """Asks a process to end. Returns its status."""
    os.kill(pid, signal.SIGTERM)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


async def finish(rest: Rest, thread: str) -> None:
    """Sends the last message of a thread, and waits until it is stored, and with it all before it."""
    last = (await rest.as_user(f"id:{USERS[0]}").send(thread, "end")).seq
    assert last is not None
    while not await rest.events(thread, after_seq=last - 1, limit=1):
        await asyncio.sleep(0.05)


def write() -> None:
    """Sends, edits, reacts and deletes until SIGTERM."""
    is_ending = asyncio.Event()

    async def user(rest: Rest, number: int) -> None:
        own = rest.as_user(f"id:{USERS[number]}")
        for count in range(10_000):
            thread = THREADS[(number + count) % len(THREADS)]
            receipt = await own.send(thread, f"{number} {count}")
            if count % 5 == 1:
                await own.edit(thread, receipt.id or "", "edited")
            if count % 5 == 2:
                await own.react(thread, receipt.id or "", "👍")
            if count % 5 == 3:
                await own.delete(thread, receipt.id or "")
            if is_ending.is_set():
                return

    async def all_users() -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, is_ending.set)
        async with Rest(URL, ApiKey(KEY)) as rest:
            await asyncio.gather(*(user(rest, number) for number in range(len(USERS))))
            await asyncio.gather(*(finish(rest, thread) for thread in THREADS))

    asyncio.run(all_users())


def prepare() -> None:
    users = [{"user": {"id": id, "username": f"user{id}"}} for id in USERS]
    threads = [{"thread": {"id": id, "title": id}} for id in THREADS]
    members = [{"member": {"thread": id, "user": user}} for id in THREADS for user in USERS]
    with sync.Rest(URL, ApiKey(KEY)) as operator:
        report = operator.import_records([*users, *threads, *members])
        assert not report.errors, report


def history() -> dict[str, str]:
    """The events of all threads by their IDs, each thread in its order."""
    found: dict[str, str] = {}
    with sync.Rest(URL, ApiKey(KEY)) as operator:
        for thread in THREADS:
            after = 0
            while events := operator.events(thread, after_seq=after, limit=1_000):
                found |= {f"{each.thread_id}:{each.epoch}:{each.seq}": fact(each) for each in events}
                after = events[-1].seq
    return found


class Seen:
    """The records of the handlers of one consumer, in the order of the commits."""

    def __init__(self, consumer: str) -> None:
        rows = Handled.objects.filter(text__startswith=f"{consumer} ").order_by("pk").values_list("event", "text")
        self.facts: defaultdict[str, set[str]] = defaultdict(set)
        self.order: list[str] = []
        self.processes: set[str] = set()
        self.count = 0
        for id, text in rows:
            _, process, known = text.split(" ", 2)
            if id not in self.facts:
                self.order.append(id)
            self.facts[id].add(known)
            self.processes.add(process)
            self.count += 1


def check(expected: dict[str, str]) -> None:
    for consumer in ("table", "group"):
        seen = Seen(consumer)
        assert set(seen.order) == set(expected), f"{consumer}: {len(seen.order)} of {len(expected)}"
        assert seen.facts == {id: {known} for id, known in expected.items()}, f"{consumer}: an ID has two meanings"
        for thread in THREADS:
            own = [id for id in expected if id.startswith(f"{thread}:")]
            assert [id for id in seen.order if id.startswith(f"{thread}:")] == own, f"{consumer}: the order of {thread}"
        assert consumer != "table" or seen.count == len(expected), "an event was handled twice"
        assert len(seen.processes) > 2, f"{consumer}: the kills met no work"
        again = seen.count - len(expected)
        print(f"{consumer}: {len(expected)} events, {again} again, in {len(seen.processes)} processes", flush=True)


def until_all(expected: dict[str, str]) -> None:
    deadline = time.monotonic() + 60
    while any(len(Seen(consumer).order) < len(expected) for consumer in ("table", "group")):
        assert time.monotonic() < deadline, [len(Seen(consumer).order) for consumer in ("table", "group")]
        time.sleep(0.2)


def newest(consumer: str) -> tuple[int, str]:
    """The place of the last event that a consumer has handled, and the process that did."""
    row = Handled.objects.filter(text__startswith=f"{consumer} ").order_by("-pk").first()
    return (row.pk, row.text.split(" ")[1]) if row else (0, "")


def victim(random: Random, processes: dict[str, int], consumer: str) -> str:
    """Waits until a consumer handles something and a moment more, and chooses the process that did, or any one."""
    before, deadline = newest(consumer), time.monotonic() + 10
    while newest(consumer) == before and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(random.uniform(0, 0.4))
    found = [name for name, pid in processes.items() if newest(consumer)[1] == f"{pid}"]
    return random.choice(found if found and random.random() < 0.7 else list(processes))


def main() -> NoReturn:
    random, began = Random(SEED), time.monotonic()
    call_command("migrate", verbosity=0)
    assert os.waitpid(fork(prepare, "prepare"), 0)[1] == 0
    writer = fork(write, "writer")
    processes = {name: follow(name) for name in COMMANDS}
    status = 1
    try:
        for number in range(KILLS):
            name = victim(random, processes, ("table", "group")[number % 2])
            os.kill(processes[name], signal.SIGKILL)
            assert os.waitstatus_to_exitcode(os.waitpid(processes[name], 0)[1]) == -signal.SIGKILL
            processes[name] = follow(name)
        assert end(writer) == 0
        expected = history()
        until_all(expected)
        statuses = {name: end(processes.pop(name)) for name in list(processes)}
        assert set(statuses.values()) == {0}, statuses
        check(expected)
        status = 0
        print(f"nothing was missed, in {time.monotonic() - began:.0f} s", flush=True)
    except BaseException as error:
        print(f"seed {SEED}: {error!r}")
        for path in sorted(Path(FOLDER.name).iterdir()):
            if path.suffix != ".db":
                print(f"--- {path.name}\n{path.read_text(errors='replace')[-4_000:]}", flush=True)
    finally:
        for pid in (*processes.values(), *([writer] if status else [])):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        FOLDER.cleanup()
    sys.stdout.flush()
    os._exit(status)


main()
