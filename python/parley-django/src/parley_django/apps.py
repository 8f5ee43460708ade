from django.apps import AppConfig
from django.core.signals import setting_changed
from django.utils.module_loading import autodiscover_modules


class ParleyConfig(AppConfig):
    name = "parley_django"
    verbose_name = "Parley"

    def ready(self) -> None:
        from . import checks, clients

        checks.register()
        setting_changed.connect(clients.forget, dispatch_uid="parley_django")
        autodiscover_modules("parley_handlers")
