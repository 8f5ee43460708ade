"""The example's site, as far as it concerns Parley, for a test: its database is a file named by DJANGO_DATABASE.

    site.py make           makes the database, with alice and bob in the room `chat_team` and carol in none
    site.py tell           tells Parley of them; prints a JSON object with a token for each, as the site gives it to a
                           browser
    site.py add carol      lets a user into the room
    site.py sign-up eve    makes a user as a stranger does at the site
    site.py login alice    prints a JSON object with the cookie that a browser has then
    site.py logout COOKIE  logs that browser out
    site.py password bob   gives a user another password
    site.py disable carol  makes a user inactive
    site.py hide           takes the table of sessions away
    site.py show           brings it back
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "examples" / "django"))
os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from chat import parley  # noqa: E402
from chat.models import Room  # noqa: E402


PASSWORD = "correct horse"


def browser():
    return Client(headers={"host": "127.0.0.1"})


def token(user):
    client = browser()
    client.force_login(user)
    return client.get("/parley-token/").json()["token"]


match sys.argv[1:]:
    case ["make"]:
        call_command("migrate", verbosity=0)
        alice, bob, _ = (User.objects.create_user(name, password=PASSWORD) for name in ("alice", "bob", "carol"))
        Room.objects.create(name="chat_team", title="Team").members.set([alice, bob])
    case ["tell"]:
        parley.tell(*parley.everything())
        print(json.dumps({user.username: token(user) for user in User.objects.all()}))
    case ["add", name]:
        Room.objects.get(name="chat_team").add_member(User.objects.get(username=name))
    case ["sign-up", name]:
        User.objects.create_user(name, password=PASSWORD)
    case ["login", name]:
        client = browser()
        client.post("/login/", {"username": name, "password": PASSWORD})
        print(json.dumps({"cookie": client.cookies[settings.SESSION_COOKIE_NAME].value}))
    case ["logout", cookie]:
        client = browser()
        client.cookies[settings.SESSION_COOKIE_NAME] = cookie
        client.logout()
    case ["password", name]:
        user = User.objects.get(username=name)
        user.set_password("another horse")
        user.save()
    case ["disable", name]:
        User.objects.filter(username=name).update(is_active=False)
    case ["hide"]:
        connection.cursor().execute("ALTER TABLE django_session RENAME TO hidden")
    case ["show"]:
        connection.cursor().execute("ALTER TABLE hidden RENAME TO django_session")
    case _:
        sys.exit(__doc__)
