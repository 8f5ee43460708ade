from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from .models import EventCursor

if TYPE_CHECKING:
    _Admin = admin.ModelAdmin[EventCursor]
else:
    _Admin = admin.ModelAdmin


@admin.register(EventCursor)
class EventCursorAdmin(_Admin):
    """Shows where each consumer is, and what it waits for. Only the command changes it."""

    list_display = ("name", "changed_at", "holder", "held_until", "problem")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: EventCursor | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: EventCursor | None = None) -> bool:
        return False
