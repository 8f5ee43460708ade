#!/usr/bin/env python3
"""An OpenID provider of Django and django-oauth-toolkit, with the user alice: toolkit.py PORT FOLDER CALLBACK."""
import sys

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

port, folder, callback = sys.argv[1:]
key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
login = '<form method="post">{% csrf_token %}{{ form }}<button type="submit">Log in</button></form>'
settings.configure(
    SECRET_KEY="the key of a provider of tests, which is no secret",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="__main__",
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/provider.db"}},
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": login})]},
        }
    ],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    LOGIN_URL="/login/",
    USE_TZ=True,
    # Cookies are the same for all ports of a host.
    SESSION_COOKIE_NAME="provider_session",
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": key.decode(),
        "OAUTH2_VALIDATOR_CLASS": "__main__.Validator",
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http"],
        "SCOPES": {"openid": "OpenID", "profile": "Profile", "email": "Mail"},
    },
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.auth.views import LoginView  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, get_internal_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402
from wsgiref.simple_server import WSGIRequestHandler  # noqa: E402


class Validator(OAuth2Validator):
    """Shows the name of the user."""

    oidc_claim_scope = OAuth2Validator.oidc_claim_scope | {"preferred_username": "profile"}

    def get_additional_claims(self, request):
        return {"preferred_username": request.user.username}


urlpatterns = [
    path("login/", LoginView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]

call_command("migrate", verbosity=0)
User.objects.create_user("alice", password="correct horse")
Application.objects.create(
    name="Parley",
    client_id="parley",
    client_secret="s3cr:t &",
    client_type=Application.CLIENT_CONFIDENTIAL,
    authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
    redirect_uris=callback,
    algorithm=Application.RS256_ALGORITHM,
    skip_authorization=True,
)
server = ThreadedWSGIServer(("127.0.0.1", int(port)), WSGIRequestHandler)
server.set_app(get_internal_wsgi_application())
server.serve_forever()
