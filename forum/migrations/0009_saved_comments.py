"""Adds the comments that people saved for later."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Nobody has saved a comment yet, so no row is changed."""

    dependencies = [("forum", "0008_muted_threads")]
    operations = [
        migrations.CreateModel(
            name="SavedComment",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="time")),
                (
                    "comment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saves",
                        to="forum.comment",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="savedcomment",
            constraint=models.UniqueConstraint(
                fields=("user", "comment"), name="comment_saved_once"
            ),
        ),
    ]
