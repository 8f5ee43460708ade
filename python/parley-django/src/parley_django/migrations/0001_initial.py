from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="EventCursor",
            fields=[
                ("name", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("cursor", models.TextField(blank=True)),
                ("done", models.JSONField(blank=True, default=list)),
                ("skipped", models.JSONField(blank=True, default=list)),
                ("holder", models.CharField(blank=True, max_length=200)),
                ("held_until", models.DateTimeField(blank=True, null=True)),
                ("problem", models.TextField(blank=True)),
                ("changed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
    ]
