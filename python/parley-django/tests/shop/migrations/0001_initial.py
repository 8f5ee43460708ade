from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Handled",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event", models.CharField(max_length=200)),
                ("text", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Total",
            fields=[
                ("thread", models.CharField(max_length=90, primary_key=True, serialize=False)),
                ("count", models.IntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Room",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=90, unique=True)),
                ("title", models.CharField(max_length=64, unique=True)),
                ("members", models.ManyToManyField(related_name="rooms", to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
