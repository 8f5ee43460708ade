"""The setting ``PARLEY``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.db.models import Model
from django.utils.module_loading import import_string

from parley_client.webhooks import check_secrets

Records = Callable[[], Iterable[dict[str, Any]]]

_KEYS = ("URL", "API_KEY", "ROOMS", "RECORDS", "EVENTS_PER_TRANSACTION", "LEASE_SECONDS", "WEBHOOK_SECRETS")
_ROOM_KEYS = ("model", "id", "title", "members", "visibility")
_VISIBILITIES = ("public", "unlisted", "private")
#: The bounds and the default of each number.
_NUMBERS = {"EVENTS_PER_TRANSACTION": (1, 200, 100), "LEASE_SECONDS": (1, 3_600, 30)}


@dataclass(frozen=True)
class Problem:
    """An error in the setting. ``number`` is for its ID, ``parley.E…``."""

    number: int
    message: str
    hint: str


@dataclass(frozen=True)
class Rooms:
    """A model whose rows are rooms of the chat, by the names of its fields."""

    model: type[Model]
    id: str
    title: str
    members: str | None
    visibility: str | None


@dataclass(frozen=True)
class Settings:
    url: str
    api_key: str
    rooms: Rooms | None
    records: Records | None
    #: The most events that handlers get in one transaction, 1 to 200.
    events_per_transaction: int
    #: The seconds after which another process takes the place of one that was killed, 1 to 3,600.
    lease_seconds: int
    #: The secrets of ``webhook_view``, two while they are rotated.
    webhook_secrets: tuple[str, ...] = ()


def load() -> Settings:
    """
    :raises ImproperlyConfigured: with everything that is wrong
    """
    found = list(problems())
    if found:
        raise ImproperlyConfigured(" ".join(f"{problem.message} {problem.hint}" for problem in found))
    values: Mapping[str, Any] = settings.PARLEY
    numbers = {name.lower(): values.get(name, default) for name, (_, _, default) in _NUMBERS.items()}
    return Settings(
        url=values["URL"].rstrip("/"),
        api_key=values["API_KEY"],
        rooms=_rooms(values["ROOMS"]) if values.get("ROOMS") else None,
        records=import_string(values["RECORDS"]) if values.get("RECORDS") else None,
        webhook_secrets=tuple(values.get("WEBHOOK_SECRETS", ())),
        **numbers,
    )


def _rooms(values: Mapping[str, str]) -> Rooms:
    model = apps.get_model(values["model"])
    return Rooms(model, values["id"], values["title"], values.get("members"), values.get("visibility"))


def problems() -> Iterator[Problem]:
    """Everything that is wrong with the setting."""
    values = getattr(settings, "PARLEY", None)
    example = 'For example: PARLEY = {"URL": "http://127.0.0.1:8081", "API_KEY": os.environ["PARLEY_API_KEY"]}.'
    if not isinstance(values, Mapping):
        yield Problem(1, "The setting PARLEY is missing." if values is None else "PARLEY is not a dictionary.", example)
        return
    for key in values:
        if key not in _KEYS:
            yield Problem(2, f"PARLEY[{key!r}] is unknown.", f"Allowed are {', '.join(_KEYS)}.")
    yield from _url_problems(values.get("URL"))
    yield from _key_problems(values.get("API_KEY"))
    for name, (least, most, default) in _NUMBERS.items():
        number = values.get(name, default)
        if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
            hint = f"Allowed is a whole number from {least} to {most}; the default is {default}."
            yield Problem(5, f"PARLEY[{name!r}] is {number!r}.", hint)
    if values.get("ROOMS"):
        yield from _room_problems(values["ROOMS"])
    if values.get("RECORDS"):
        yield from _record_problems(values["RECORDS"])
    if "WEBHOOK_SECRETS" in values:
        yield from _secret_problems(values["WEBHOOK_SECRETS"])


def _url_problems(url: object) -> Iterator[Problem]:
    allowed = (
        "Allowed is the address of Parley's REST, such as http://127.0.0.1:8081, without a user, query or fragment."
    )
    if not isinstance(url, str) or not url:
        yield Problem(3, "PARLEY['URL'] is missing.", allowed)
        return
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or "@" in parts.netloc or parts.query or parts.fragment or any(each.isspace() for each in url):
        yield Problem(3, f"PARLEY['URL'] is {url!r}.", allowed)


def _key_problems(key: object) -> Iterator[Problem]:
    allowed = "Allowed is an API key of PARLEY_API_KEYS, or one that `parley admin create-key` has printed."
    if not isinstance(key, str) or not key:
        yield Problem(4, "PARLEY['API_KEY'] is missing.", allowed)
    elif not key.isascii() or not key.isprintable() or " " in key:
        # The key itself is a secret, and not shown.
        yield Problem(4, "PARLEY['API_KEY'] has characters that no key has.", allowed)


def _room_problems(values: object) -> Iterator[Problem]:
    hint = 'For example: {"model": "chat.Room", "id": "name", "title": "title", "members": "members"}.'
    if not isinstance(values, Mapping):
        yield Problem(6, "PARLEY['ROOMS'] is not a dictionary.", hint)
        return
    for key in values:
        if key not in _ROOM_KEYS:
            yield Problem(6, f"PARLEY['ROOMS'][{key!r}] is unknown.", f"Allowed are {', '.join(_ROOM_KEYS)}.")
    missing = [key for key in ("model", "id", "title") if not isinstance(values.get(key), str)]
    if missing:
        yield Problem(6, f"PARLEY['ROOMS'] lacks {', '.join(missing)}.", hint)
        return
    if values.get("visibility") not in (None, *_VISIBILITIES):
        allowed = f"Allowed are {', '.join(_VISIBILITIES)}, or nothing: then Parley's settings decide."
        yield Problem(6, f"PARLEY['ROOMS']['visibility'] is {values['visibility']!r}.", allowed)
    try:
        model = apps.get_model(values["model"])
    except (LookupError, ValueError):
        yield Problem(6, f"PARLEY['ROOMS']['model'] is {values['model']!r}.", "Allowed is a model, as app.Model.")
        return
    yield from _field_problems(model, values)


def _field_problems(model: type[Model], values: Mapping[str, Any]) -> Iterator[Problem]:
    names = sorted(field.name for field in model._meta.get_fields())
    for key in ("id", "title", "members"):
        name = values.get(key)
        if name is None:
            continue
        try:
            field = model._meta.get_field(name)
        except FieldDoesNotExist:
            hint = f"Allowed are the fields of {values['model']}: {', '.join(names)}."
            yield Problem(6, f"PARLEY['ROOMS'][{key!r}] is {name!r}.", hint)
            continue
        if key == "members" and not (field.many_to_many and field.related_model is get_user_model()):
            hint = f"Allowed is a many-to-many relation to {settings.AUTH_USER_MODEL}; RECORDS is for everything else."
            yield Problem(6, f"PARLEY['ROOMS']['members'] is {name!r}.", hint)


def _record_problems(path: object) -> Iterator[Problem]:
    hint = "Allowed is the path of a function without parameters that yields records, such as chat.parley.records."
    if not isinstance(path, str):
        yield Problem(7, f"PARLEY['RECORDS'] is {path!r}.", hint)
        return
    try:
        found = import_string(path)
    except ImportError as error:
        yield Problem(7, f"PARLEY['RECORDS'] is {path!r}: {error}.", hint)
        return
    if not callable(found):
        yield Problem(7, f"PARLEY['RECORDS'] is {path!r}, which cannot be called.", hint)


def _secret_problems(secrets: object) -> Iterator[Problem]:
    name = "PARLEY['WEBHOOK_SECRETS']"
    if not isinstance(secrets, list | tuple) or not all(isinstance(each, str) for each in secrets):
        yield Problem(8, f"{name} is not a list of texts.", "Allowed is a list such as [os.environ['PARLEY_WEBHOOK']].")
        return
    try:
        check_secrets(secrets)
    except ValueError as error:
        yield Problem(8, f"{name} has a text that is no secret, or too many.", f"{str(error).capitalize()}.")
