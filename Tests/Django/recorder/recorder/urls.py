from django.urls import path

from parley_django import webhook_view

urlpatterns = [path("parley/", webhook_view, {"consumer": "webhook"})]
