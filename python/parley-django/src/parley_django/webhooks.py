"""The view that webhooks of Parley call."""

from __future__ import annotations

import logging

from django.core.exceptions import ImproperlyConfigured, RequestDataTooBig
from django.db import router, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from parley_client.errors import MalformedAnswer
from parley_client.webhooks import BadSignature, verify_webhook

from . import conf, handlers

logger = logging.getLogger("parley_django")


@csrf_exempt
@require_POST
def webhook_view(request: HttpRequest, consumer: str = handlers.DEFAULT) -> HttpResponse:
    """Passes the events of a request of Parley to the handlers, in one transaction.

    The signature is verified with ``PARLEY["WEBHOOK_SECRETS"]``. An event may come again, under the same ID, if the
    answer was lost. The status is 204, or 401 for a wrong signature, 400 for another format, 413 for a body above
    ``DATA_UPLOAD_MAX_MEMORY_SIZE``, and 500 if a handler has raised an error; nothing is changed then.

    :param consumer: the handlers that get the events
    :raises ImproperlyConfigured: the setting has no secret
    """
    # Models are not loaded yet when the package is.
    from .following import handle
    from .models import EventCursor

    secrets = conf.load().webhook_secrets
    if not secrets:
        raise ImproperlyConfigured("PARLEY['WEBHOOK_SECRETS'] is missing. Allowed is a list of secrets of the webhook.")
    try:
        verified = verify_webhook(request.body, request.headers, secrets)
    except RequestDataTooBig as error:
        return _refusal(413, "too_large", str(error))
    except BadSignature as error:
        return _refusal(401, error.code, error.message)
    except MalformedAnswer as error:
        return _refusal(400, "bad_request", error.message)
    try:
        with transaction.atomic(using=router.db_for_write(EventCursor)):
            for stored in verified.events:
                handle(consumer, stored)
    except Exception:
        logger.exception("a handler of %s refuses the webhook %s", consumer, verified.id)
        return _refusal(500, "internal", "a handler has failed")
    return HttpResponse(status=204)


def _refusal(status: int, code: str, message: str) -> HttpResponse:
    return JsonResponse({"error": {"code": code, "message": message}}, status=status)
