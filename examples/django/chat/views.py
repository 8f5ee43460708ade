import time

import jwt
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import JsonResponse
from django.shortcuts import get_object_or_404, render

LIFETIME = 300


@login_required
def rooms(request):
    return render(request, "chat/rooms.html", {"rooms": request.user.rooms.all()})


@login_required
def room(request, thread):
    return render(request, "chat/room.html", {"room": get_object_or_404(request.user.rooms, name=thread)})


@login_required
def parley_token(request):
    """A JWT that authenticates the logged-in user to Parley; a client opens its socket with it."""
    now = int(time.time())
    # `sub` is the id under which the user was imported.
    claims = {"sub": str(request.user.pk), "iat": now, "exp": now + LIFETIME}
    token = jwt.encode(claims, settings.PARLEY_JWT_KEY, algorithm="HS256")
    response = JsonResponse({"token": token, "expires_in": LIFETIME})
    response["Cache-Control"] = "no-store"
    return response
