"""A site of the tests. Each test of a command has a database and a server of its own."""

import os

SECRET_KEY = "a key of tests"
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "parley_django",
    "shop",
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("SHOP_DATABASE", ":memory:"),
        "OPTIONS": {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            # The tests kill processes, not machines, and a sync may take long.
            "init_command": "PRAGMA synchronous=OFF",
        },
    }
}
PARLEY = {
    "URL": os.environ.get("SHOP_PARLEY", "http://127.0.0.1:8081"),
    "API_KEY": os.environ.get("SHOP_KEY", "pk_events-tests"),
    "ROOMS": {"model": "shop.Room", "id": "name", "title": "title", "members": "members", "visibility": "public"},
    "EVENTS_PER_TRANSACTION": int(os.environ.get("SHOP_EVENTS", "100")),
    "LEASE_SECONDS": int(os.environ.get("SHOP_LEASE", "5")),
}
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "shop.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
USE_TZ = True
STATIC_URL = "static/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
