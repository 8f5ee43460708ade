"""Uses everything on a real server: live.py URL API_KEY. The program tests run it with the installed wheel."""

from __future__ import annotations

import asyncio
import gc
import os
import struct
import sys
import tempfile
import textwrap
import time
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from parley_client import (
    ApiKey,
    Client,
    Edited,
    Joined,
    Message,
    ParleyError,
    Password,
    Reacted,
    Rest,
    Token,
    TypingBy,
    sync,
)

URL, KEY = sys.argv[1], sys.argv[2]
PASSWORD = "correct horse"
README = (Path(__file__).parents[1] / "README.md").read_text()


def block(number: int) -> str:
    """A block of code of the README, with the addresses of this server."""
    code = README.split("```python\n")[number].split("```")[0]
    return code.replace("http://127.0.0.1:8080", URL).replace("pk_…", KEY)


def png() -> bytes:
    """A picture of one pixel."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


async def back_end(operator: Rest) -> None:
    """Imports users and a room, adds a member, and sends as one of them."""
    users = [{"user": {"id": f"{number}", "username": f"user{number}"}} for number in range(1, 1_503)]
    records = [
        *users,
        {"thread": {"id": "tea", "title": "Tea", "visibility": "public"}},
        {"member": {"thread": "tea", "user": "1", "role": "owner"}},
    ]
    report = await operator.import_records(records)
    assert (report.users, report.threads, report.members, report.errors) == (1_502, 1, 1, ()), report
    again = await operator.import_records([*records, {"user": {"id": "1", "username": "other"}}])
    assert again.unchanged == len(records), again
    assert [(each.line, each.code) for each in again.errors] == [(len(records) + 1, "conflict")], again
    await operator.put_member("tea", "id:2")
    owner = operator.as_user("id:1")
    receipt = await owner.send("tea", "From the back end", client_id="order-1")
    repeat = await owner.send("tea", "From the back end", client_id="order-1")
    assert repeat.is_repeat and (repeat.id, repeat.seq) == (receipt.id, receipt.seq)
    try:
        await owner.send("tea", "Another text", client_id="order-1")
        raise AssertionError("a client_id was used for two texts")
    except ParleyError as error:
        assert (error.code, error.status) == ("conflict", 409)
    roles = {member.user.username: member.role async for member in operator.members("tea")}
    assert roles == {"user1": "owner", "user2": "member"}, roles
    await owner.add_member("tea", "user2", "moderator")
    assert receipt.id is not None
    await owner.edit("tea", receipt.id, "From the shop")
    await owner.react("tea", receipt.id, "👍")
    ticket = await operator.as_user("id:2").ticket()
    assert ticket.ticket and ticket.expires_in > 0
    created = await operator.create_user("carol", password=PASSWORD)
    await operator.set_password("carol", PASSWORD + "!")
    await operator.revoke_sessions("carol")
    assert (await operator.user(created.id)).username == "carol"
    assert [user.username for user in await operator.users("user150")] == [
        "user150",
        "user1500",
        "user1501",
        "user1502",
    ]
    room = await operator.create_room("Kitchen")
    await operator.take_member("tea", "user2")
    assert (await operator.thread(room.id)).title == "Kitchen"


async def users() -> None:
    """Two users talk, with edits, reactions, read marks, typing and history."""
    async with Rest(URL, None) as visitor:
        for name in ("alice", "bob"):
            await visitor.sign_up(name, PASSWORD)
    async with Client(URL, Password("alice", PASSWORD)) as alice, Client(URL, Password("bob", PASSWORD)) as bob:
        garden = await alice.join("Garden")
        assert (await bob.join("Garden")).id == garden.id
        assert alice.threads[garden.id].title == "Garden"
        seen = bob.events(garden)
        receipt = await alice.send(garden, "Hello")
        await alice.edit(receipt, "Hello!")
        await alice.react(receipt, "🎉")
        bob.mark_read(garden)
        bob.typing(garden)
        events: list[object] = []
        while len(events) < 3:
            event = await anext(seen)
            # Whether Bob's own joining and typing are among them depends on when they arrive.
            if not isinstance(event, (Joined, TypingBy)):
                events.append(event)
        assert [type(event) for event in events] == [Message, Edited, Reacted], events
        await bob.settled()
        for number in range(50):
            alice.send(garden, f"{number}")
        await alice.settled()
        live = [await anext(bob.messages(garden, after=receipt.seq)) for _ in range(1)]
        assert live[0].text == "0"
        page = await bob.history(garden, limit=10)
        assert [message.text for message in page.messages] == [f"{number}" for number in range(40, 50)]
        assert (await alice.rest.messages(garden, limit=1)).messages[0].text == "49"
        assert [m.text async for m in alice.rest.all_messages(garden)] == ["Hello!", *map(str, range(50))]
        assert [message.text for message in await bob.rest.search("hello")] == ["Hello!"]
        assert [thread.id async for thread in bob.rest.threads()] == [garden.id]
        direct = await alice.rest.direct("bob")
        assert direct.kind == "direct"
        await alice.delete(receipt)
        await files(alice, bob, garden.id)
        session = (await alice.rest.headers())["Authorization"].removeprefix("Bearer ")
        async with Client(URL, Token(lambda: session)) as again, Client(URL, ApiKey(KEY, "name:bob")) as keyed:
            assert (again.user, keyed.user) == (alice.user, bob.user)
            await keyed.send(garden, "By a key")
        await bob.leave(garden)
        try:
            await bob.send(garden, "Too late")
            raise AssertionError("sent without being a member")
        except ParleyError as error:
            assert error.code == "not_a_member"


async def files(alice: Client, bob: Client, room: str) -> None:
    content = os.urandom(2_500_000)
    seen: list[int] = []
    incoming = bob.messages(room)
    attachment = await alice.rest.upload(content, name="data.bin", progress=lambda sent, total: seen.append(sent))
    assert attachment.is_complete and seen[-1] == len(content) and len(seen) == 3
    await alice.send(room, "Look", parts=[attachment.part])
    message = await anext(incoming)
    assert message.parts[0].name == "data.bin" and message.parts[0].size == len(content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy"
        assert await bob.rest.download(message.parts[0], path) == len(content)
        assert path.read_bytes() == content
        await files_as_in_the_readme(alice, room, message, Path(folder))
    try:
        await alice.rest.upload(b"no picture", name="1.png")
        raise AssertionError("accepted a picture that is none")
    except ParleyError as error:
        assert error.code == "bad_request"


async def files_as_in_the_readme(client: Client, garden: str, message: Message, folder: Path) -> None:
    code = block(7).replace('"garden.png"', f'"{folder}/garden.png"').replace('"copy.png"', f'"{folder}/copy.png"')
    (folder / "garden.png").write_bytes(png())
    names: dict[str, Any] = {}
    exec("async def use(client, garden, message):\n" + textwrap.indent(code, "    "), names)
    await names["use"](client, garden, message)
    assert (folder / "copy.png").stat().st_size == 2_500_000


def back_end_as_in_the_readme(operator: sync.Rest) -> None:
    user = SimpleNamespace(pk=6000, username="erin")
    operator.create_user("erin", id="6000")
    room = operator.as_user("id:6000").room("Orders").id
    names: dict[str, Any] = {"user": user, "users": [user], "room": room, "order": SimpleNamespace(pk=1)}
    exec(block(2), names)
    assert names["ticket"].ticket
    assert operator.as_user("erin").messages(room).messages[0].client_id == "order-1"
    exec(block(3).replace("id:7", "id:6000"), names)
    assert not list(operator.list_sanctions(room))


def facade() -> None:
    """The same without ``async``, as a management command has it."""
    operator = sync.Rest(URL, ApiKey(KEY))
    assert operator.import_records(iter([{"user": {"id": "5000", "username": "dave"}}])).users == 1
    receipt = operator.as_user("dave").send(operator.as_user("dave").room("Shop").id, "Opened")
    assert next(operator.members(receipt.thread_id)).user.username == "dave"
    back_end_as_in_the_readme(operator)
    pid = os.fork()
    if pid == 0:
        # A worker process of a web server has the object of its parent, and leaves its connections alone.
        name = operator.as_user("dave").me().username
        operator.close()
        gc.collect()
        os._exit(0 if name == "dave" else 1)
    assert os.waitpid(pid, 0)[1] == 0
    started = time.monotonic()
    assert operator.as_user("dave").me().username == "dave"
    assert time.monotonic() - started < 5, "the child has ended the connections of its parent"
    with sync.Client(URL, Password("alice", PASSWORD)) as client:
        shop = client.join("Shop")
        assert client.user is not None and client.user.username == "alice"
        assert client.history(shop).messages[0].text == "Opened"
        incoming = client.messages(shop)
        message = client.send(shop, "Hi")
        assert next(incoming).id == message.id
        client.edit(message, "Hi!")
        client.react(message, "👋")
        client.mark_read(shop)
        client.typing(shop)
        client.delete(message)
        client.leave(shop)
    operator.close()


async def refused() -> None:
    try:
        async with Client(URL, Token("wrong")):
            raise AssertionError("a wrong token was accepted")
    except ParleyError as error:
        assert error.code == "signed_out", error
    try:
        async with Client(URL, Password("alice", "wrong password")):
            raise AssertionError("a wrong password was accepted")
    except ParleyError as error:
        assert error.code == "signed_out", error


async def main() -> None:
    async with Rest(URL, ApiKey(KEY)) as operator:
        await back_end(operator)
    await users()
    await refused()


asyncio.run(main())
facade()
print("everything works")
