from django.contrib import admin
from django.urls import path

from parley_django import webhook_view

urlpatterns = [
    path("admin/", admin.site.urls),
    path("parley/webhook/", webhook_view),
    path("parley/everything/", webhook_view, {"consumer": "everything"}),
]
