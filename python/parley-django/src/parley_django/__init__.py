"""Parley in a Django site: handlers for the events of the chat, imports of users and rooms, and the client.

Add ``parley_django`` to ``INSTALLED_APPS``, and the setting ``PARLEY``. Handlers are functions in the module
``parley_handlers`` of an app.
"""

from .clients import as_user, client
from .handlers import on_event
from .records import import_on_commit, member_record, room_record, user_record
from .webhooks import webhook_view

__all__ = [
    "as_user",
    "client",
    "import_on_commit",
    "member_record",
    "on_event",
    "room_record",
    "user_record",
    "webhook_view",
]
