"""The ways into threads that are not public, for code without ``async``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .models import History, Member, Thread
from .models_entrances import EntranceRequest, Invitation, Link, LinkTarget, MyInvitation, MyRequest
from .portal import portal as _portal
from .rest_entrances import EntranceCalls as AsynchronousCalls


class EntranceCalls:
    @property
    def _rest(self) -> AsynchronousCalls:
        raise NotImplementedError

    def create_group(
        self, members: Iterable[str], *, title: str | None = None, history: History | None = None
    ) -> Thread:
        return _portal.run(self._rest.create_group(members, title=title, history=history))

    def set_history(self, thread: Thread | str, history: History) -> Thread:
        return _portal.run(self._rest.set_history(thread, history))

    def set_owner(self, thread: Thread | str, user: str) -> Member:
        return _portal.run(self._rest.set_owner(thread, user))

    def invite(
        self, thread: Thread | str, user: str, *, text: str | None = None, seconds: int | None = None
    ) -> Invitation:
        return _portal.run(self._rest.invite(thread, user, text=text, seconds=seconds))

    def invitations(self, thread: Thread | str) -> Iterator[Invitation]:
        return _portal.iterate(self._rest.invitations(thread))

    def withdraw_invitation(self, thread: Thread | str, user: str) -> None:
        _portal.run(self._rest.withdraw_invitation(thread, user))

    def my_invitations(self) -> Iterator[MyInvitation]:
        return _portal.iterate(self._rest.my_invitations())

    def accept_invitation(self, thread: Thread | str) -> Thread:
        return _portal.run(self._rest.accept_invitation(thread))

    def decline_invitation(self, thread: Thread | str) -> None:
        _portal.run(self._rest.decline_invitation(thread))

    def request_entrance(self, thread: Thread | str, *, text: str | None = None) -> MyRequest:
        return _portal.run(self._rest.request_entrance(thread, text=text))

    def my_requests(self) -> list[MyRequest]:
        return _portal.run(self._rest.my_requests())

    def withdraw_request(self, thread: Thread | str) -> None:
        _portal.run(self._rest.withdraw_request(thread))

    def entrance_requests(self, thread: Thread | str) -> Iterator[EntranceRequest]:
        return _portal.iterate(self._rest.entrance_requests(thread))

    def accept_request(self, thread: Thread | str, user: str) -> Member:
        return _portal.run(self._rest.accept_request(thread, user))

    def refuse_request(self, thread: Thread | str, user: str) -> None:
        _portal.run(self._rest.refuse_request(thread, user))

    def create_link(self, thread: Thread | str, *, seconds: int | None = None, uses: int | None = None) -> Link:
        return _portal.run(self._rest.create_link(thread, seconds=seconds, uses=uses))

    def links(self, thread: Thread | str) -> list[Link]:
        return _portal.run(self._rest.links(thread))

    def revoke_link(self, thread: Thread | str, link: Link | str) -> None:
        _portal.run(self._rest.revoke_link(thread, link))

    def link(self, code: str) -> LinkTarget:
        return _portal.run(self._rest.link(code))

    def join_link(self, code: str) -> Thread:
        return _portal.run(self._rest.join_link(code))
