"""The example's site, as far as it concerns Parley, for a test: its database is a file named by DJANGO_DATABASE.

    site.py start          makes the database, with alice and bob in the room `chat_team` and carol in none; tells Parley
                           of them; prints a JSON object with a token for each, as the site gives it to a browser
    site.py add carol      lets a user into the room
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "examples" / "django"))
os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"

import django  # noqa: E402

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from chat import parley  # noqa: E402
from chat.models import Room  # noqa: E402


def token(user):
    browser = Client(headers={"host": "127.0.0.1"})
    browser.force_login(user)
    return browser.get("/parley-token/").json()["token"]


match sys.argv[1:]:
    case ["start"]:
        call_command("migrate", verbosity=0)
        users = {name: User.objects.create_user(name) for name in ("alice", "bob", "carol")}
        room = Room.objects.create(name="chat_team", title="Team")
        room.members.set([users["alice"], users["bob"]])
        parley.tell(*parley.everything())
        print(json.dumps({name: token(user) for name, user in users.items()}))
    case ["add", name]:
        Room.objects.get(name="chat_team").add_member(User.objects.get(username=name))
    case _:
        sys.exit(__doc__)
