"""Adds drafts of posts and comments."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Earlier drafts were in sessions and browsers, and end with them."""

    dependencies = [("forum", "0010_person_notes")]
    operations = [
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=32)),
                ("on_question", models.BooleanField(default=False)),
                ("kind", models.CharField(blank=True, max_length=8)),
                ("title", models.TextField(blank=True)),
                ("url", models.TextField(blank=True)),
                ("body", models.TextField(blank=True)),
                ("groups", models.JSONField(default=list)),
                ("updated_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="forum.comment",
                    ),
                ),
                (
                    "post",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="forum.post",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["updated_at"], name="drafts_oldest")],
                "constraints": [
                    models.UniqueConstraint(fields=("author", "key"), name="draft_saved_once")
                ],
            },
        ),
    ]
