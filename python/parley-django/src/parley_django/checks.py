"""The system checks of ``manage.py check``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core import checks

from . import conf


def register() -> None:
    checks.register(check_settings)


def check_settings(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[checks.CheckMessage]:
    return [
        checks.Error(problem.message, hint=problem.hint, id=f"parley.E{problem.number:03}")
        for problem in conf.problems()
    ]
