import os

SECRET_KEY = "a key of tests"
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = ["parley_django", "recorder"]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ["RECORDER_DATABASE"],
        "OPTIONS": {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            # The tests kill processes, not machines, and a sync may take long.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
        },
    }
}
PARLEY = {
    "URL": os.environ["RECORDER_PARLEY"],
    "API_KEY": os.environ["RECORDER_KEY"],
    "WEBHOOK_SECRETS": os.environ.get("RECORDER_SECRETS", "").split(),
}
ROOT_URLCONF = "recorder.urls"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
