"""The ways into threads that are not public: groups, invitations, requests, links, and another owner."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from . import decoding
from .models import JSON, History, Member, Thread
from .models_entrances import EntranceRequest, Invitation, Link, LinkTarget, MyInvitation, MyRequest
from .rest_base import RestBase, thread_path
from .transport import escaped


class EntranceCalls(RestBase):
    async def create_group(
        self, members: Iterable[str], *, title: str | None = None, history: History | None = None
    ) -> Thread:
        """Creates a private group of mine with 1 to 50 other members. Each call creates another one."""
        content = _present(kind="group", members=list(members), title=title, history=history)
        return decoding.thread(await self.fetch("POST", "/v1/threads", content=content, is_repeatable=False))

    async def set_history(self, thread: Thread | str, history: History) -> Thread:
        """Changes the part of the log that later members see; its owner only."""
        return decoding.thread(await self.fetch("PATCH", thread_path(thread), content={"history": history}))

    async def set_owner(self, thread: Thread | str, user: str) -> Member:
        """Makes another member the owner of my room or group, and me a moderator."""
        answer = await self.fetch("POST", thread_path(thread, "owner"), content={"user": user}, is_repeatable=False)
        return decoding.member(answer)

    # Invitations

    async def invite(
        self, thread: Thread | str, user: str, *, text: str | None = None, seconds: int | None = None
    ) -> Invitation:
        """Invites a user, as a moderator. It replaces an earlier invitation.

        :param text: for the user, 1 to 500 characters
        :param seconds: 60 to 31,536,000; ``None`` is without an end
        """
        path = thread_path(thread, "invitations", user)
        return decoding.invitation(await self.fetch("PUT", path, content=_present(text=text, seconds=seconds)))

    async def invitations(self, thread: Thread | str) -> AsyncIterator[Invitation]:
        """The open invitations to a thread that I moderate."""
        async for each in self.list_of(thread_path(thread, "invitations"), "invitations", {"limit": 200}):
            yield decoding.invitation(each)

    async def withdraw_invitation(self, thread: Thread | str, user: str) -> None:
        await self.call("DELETE", thread_path(thread, "invitations", user))

    async def my_invitations(self) -> AsyncIterator[MyInvitation]:
        async for each in self.list_of("/v1/me/invitations", "invitations", {"limit": 200}):
            yield decoding.my_invitation(each)

    async def accept_invitation(self, thread: Thread | str) -> Thread:
        """Makes me a member. ``not_found`` means that there is no such invitation, or no longer."""
        return decoding.thread(await self.fetch("POST", f"{_mine('invitations', thread)}/accept"))

    async def decline_invitation(self, thread: Thread | str) -> None:
        await self.call("DELETE", _mine("invitations", thread))

    # Requests

    async def request_entrance(self, thread: Thread | str, *, text: str | None = None) -> MyRequest:
        """Asks the moderators of a thread to let me in. The answer tells nothing about the thread.

        :param text: for the moderators, 1 to 500 characters
        """
        return decoding.my_request(
            await self.fetch("POST", thread_path(thread, "requests"), content=_present(text=text))
        )

    async def my_requests(self) -> list[MyRequest]:
        """My requests of the last 30 days, at most 20, with those that were refused."""
        answer = await self.fetch("GET", "/v1/me/requests")
        return [decoding.my_request(each) for each in decoding.objects(answer, "requests")]

    async def withdraw_request(self, thread: Thread | str) -> None:
        await self.call("DELETE", _mine("requests", thread))

    async def entrance_requests(self, thread: Thread | str) -> AsyncIterator[EntranceRequest]:
        """The requests to come into a thread that I moderate."""
        async for each in self.list_of(thread_path(thread, "requests"), "requests", {"limit": 200}):
            yield decoding.entrance_request(each)

    async def accept_request(self, thread: Thread | str, user: str) -> Member:
        """Lets a user in. If the answer to an earlier attempt was lost, it may be ``not_found``."""
        return decoding.member(await self.fetch("POST", thread_path(thread, "requests", user, "accept")))

    async def refuse_request(self, thread: Thread | str, user: str) -> None:
        await self.call("DELETE", thread_path(thread, "requests", user))

    # Links

    async def create_link(self, thread: Thread | str, *, seconds: int | None = None, uses: int | None = None) -> Link:
        """Makes a link into a thread that I moderate. No later call shows its ``code``.

        :param seconds: at most ten years; ``None`` is until :meth:`revoke_link`
        :param uses: how many users may come in, 1 to 10,000; ``None`` is any number
        """
        content = _present(seconds=seconds, uses=uses)
        path = thread_path(thread, "links")
        return decoding.link(await self.fetch("POST", path, content=content, is_repeatable=False))

    async def links(self, thread: Thread | str) -> list[Link]:
        """The links of a thread that are in force, newest first, at most 50."""
        answer = await self.fetch("GET", thread_path(thread, "links"))
        return [decoding.link(each) for each in decoding.objects(answer, "links")]

    async def revoke_link(self, thread: Thread | str, link: Link | str) -> None:
        await self.call("DELETE", thread_path(thread, "links", link if isinstance(link, str) else link.id))

    async def link(self, code: str) -> LinkTarget:
        """The thread of a link. ``not_found`` means that the code is unknown, expired, used up or revoked."""
        return decoding.link_target(await self.fetch("GET", f"/v1/links/{escaped(code)}"))

    async def join_link(self, code: str) -> Thread:
        """Makes me a member, which takes one use of the link."""
        return decoding.thread(await self.fetch("POST", f"/v1/links/{escaped(code)}"))


def _mine(list_name: str, thread: Thread | str) -> str:
    return f"/v1/me/{list_name}/{escaped(thread if isinstance(thread, str) else thread.id)}"


def _present(**fields: object) -> JSON:
    return {name: value for name, value in fields.items() if value is not None}
