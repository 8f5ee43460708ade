from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from chat import views

urlpatterns = [
    path("", views.rooms),
    path("login/", LoginView.as_view(template_name="chat/login.html")),
    path("logout/", LogoutView.as_view()),
    path("room/<str:thread>/", views.room),
    path("parley-token/", views.parley_token),
]
