"""A Django site with a chat, beside which Parley runs: docs/django.md goes through it step by step."""

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

BASE_DIR = Path(__file__).resolve().parent.parent

# Parley's variables are read here, so that the two always agree; ./setup writes them. The defaults are for tests only: a
# real site takes its secrets from its environment, without a default.
SECRET_KEY = (
    os.environ.get("DJANGO_SECRET_KEY")
    or os.environ.get("PARLEY_DJANGO_SECRET_KEY")
    or "an example's key, which is no secret at all"
)
# The same text as Parley's PARLEY_JWT_HS256_KEY; at least 32 bytes.
PARLEY_JWT_KEY = os.environ.get("PARLEY_JWT_HS256_KEY", "an example's key for tokens, which is no secret")
# The internal address of Parley's REST, and an API key of PARLEY_API_KEYS.
PARLEY_URL = os.environ.get("PARLEY_URL", "http://127.0.0.1:8081")
PARLEY_API_KEY = os.environ.get("PARLEY_API_KEY", "")

DEBUG = True
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "channels",
    "chat",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
ROOT_URLCONF = "project.urls"
ASGI_APPLICATION = "project.asgi.application"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]


def _database(address):
    """postgres://USER:PASSWORD@HOST:PORT/NAME, or the path of an SQLite file."""
    if not address.startswith("postgres://"):
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": address}
    url = urlsplit(address)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": url.path.removeprefix("/"),
        "USER": url.username,
        "PASSWORD": unquote(url.password or ""),
        "HOST": url.hostname,
        "PORT": url.port,
    }


DATABASES = {"default": _database(os.environ.get("DJANGO_DATABASE", str(BASE_DIR / "db.sqlite3")))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"


def _list(name, default=""):
    return [entry for entry in os.environ.get(name, default).split(",") if entry]


_LAYERS = {
    "pubsub": "channels_redis.pubsub.RedisPubSubChannelLayer",
    "core": "channels_redis.core.RedisChannelLayer",
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": _LAYERS[os.environ.get("PARLEY_CHANNELS_LAYER", "pubsub")],
        "CONFIG": {
            "hosts": _list("PARLEY_REDIS", "redis://127.0.0.1:6379"),
            "prefix": os.environ.get("PARLEY_CHANNELS_PREFIX", "asgi"),
            "serializer_format": os.environ.get("PARLEY_CHANNELS_SERIALIZER", "msgpack"),
            "symmetric_encryption_keys": _list("PARLEY_CHANNELS_SYMMETRIC_ENCRYPTION_KEYS"),
        },
    }
}
