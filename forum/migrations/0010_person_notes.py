"""Adds labels and notes about people, which only their writers see."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

PERSON = {"on_delete": django.db.models.deletion.CASCADE, "to": settings.AUTH_USER_MODEL}


class Migration(migrations.Migration):
    """Adds a table."""

    dependencies = [("forum", "0009_saved_comments")]
    operations = [
        migrations.CreateModel(
            name="PersonNote",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("label", models.CharField(blank=True, max_length=30, verbose_name="label")),
                ("note", models.TextField(blank=True, max_length=500, verbose_name="note")),
                ("at", models.DateTimeField(verbose_name="time")),
                ("person", models.ForeignKey(related_name="+", **PERSON)),
                ("user", models.ForeignKey(related_name="person_notes", **PERSON)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "person"), name="person_noted_once")
                ],
            },
        ),
    ]
