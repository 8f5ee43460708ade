"""Imports this site's users and rooms into Parley, as records of POST /v1/admin/import."""

import json
import urllib.request

from django.conf import settings
from django.contrib.auth import get_user_model


def user(user):
    return {"user": {"id": str(user.pk), "username": user.get_username()}}


def room(room):
    return {"thread": {"id": room.name, "title": room.title, "kind": "room"}}


def member(room, user):
    return {"member": {"thread": room.name, "user": str(user.pk)}}


def everything():
    """All users, rooms and members; users and rooms come before the members that name them."""
    from chat.models import Room

    for one in get_user_model().objects.filter(is_active=True).order_by("pk").iterator():
        yield user(one)
    for one in Room.objects.order_by("pk").iterator():
        yield room(one)
        for each in one.members.filter(is_active=True).order_by("pk"):
            yield member(one, each)


def tell(*records):
    """Imports records. May be repeated: existing users, rooms and members stay as they are.

    Raises ValueError with Parley's reasons if it refuses one; the others are imported.
    """
    body = "".join(json.dumps(record) + "\n" for record in records).encode()
    headers = {"Authorization": f"Bearer {settings.PARLEY_API_KEY}", "Content-Type": "application/x-ndjson"}
    request = urllib.request.Request(f"{settings.PARLEY_URL}/v1/admin/import", body, headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        errors = json.load(response)["errors"]
    if errors:
        raise ValueError(errors)
