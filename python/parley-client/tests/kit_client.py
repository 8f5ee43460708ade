"""parley-client as the client of `parley admin conformance --client`.

docs/clients.md describes the variables and lines.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys

from parley_client import Client, Edited, Message, ParleyError, Password


async def main() -> None:
    env = os.environ
    credentials = Password(env["PARLEY_CHAT_USER"], env["PARLEY_CHAT_PASSWORD"])
    client = Client(env["PARLEY_CHAT_SERVER"], credentials)
    await client.connect()
    room = next(thread for thread in client.threads.values() if thread.title == env["PARLEY_CHAT_ROOM"])
    shown: dict[int, Message] = {}
    showing = asyncio.create_task(show(client, room.id, shown))
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := (await lines.readline()).decode().rstrip("\n"):
        if edit := re.fullmatch(r"/edit (\d+) (.*)", line):
            if message := shown.get(int(edit[1])):
                client.edit(message, edit[2])
        elif line == "/read":
            client.mark_read(room)
        elif line == "/typing":
            client.typing(room)
        else:
            client.send(room, line)
    showing.cancel()
    await client.close(timeout=0)


async def show(client: Client, room: str, shown: dict[int, Message]) -> None:
    """Prints each message when it changes."""
    messages = client.messages(room)
    edits = client.events(room)

    async def show_edits() -> None:
        async for event in edits:
            if isinstance(event, Edited) and event.message_seq in shown:
                report(shown[event.message_seq], event.text)

    async def show_messages() -> None:
        async for message in messages:
            shown[message.seq] = message
            report(message, message.text)

    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(show_messages())
            tasks.create_task(show_edits())
    except* ParleyError as errors:
        # The kit knows whether the client had to stop.
        print(*errors.exceptions, file=sys.stderr)


def report(message: Message, text: str) -> None:
    fields = {
        "type": "message",
        "id": message.id,
        "seq": message.seq,
        "client_id": message.client_id,
        "sender": message.sender_name,
        "text": text,
        "state": "accepted",
        "deleted": False,
    }
    print(json.dumps({name: value for name, value in fields.items() if value is not None}), flush=True)


asyncio.run(main())
