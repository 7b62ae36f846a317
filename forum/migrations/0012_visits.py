"""Adds the times of people's visits, and an index of the newest questions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Nobody's visits are known yet, so no row is changed."""

    dependencies = [("forum", "0011_drafts")]
    operations = [
        migrations.AddField(
            model_name="user",
            name="active_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="last_visit_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name="post",
            index=models.Index(
                condition=models.Q(("deleted_at", None), ("kind", "question")),
                fields=["-created_at", "-id"],
                name="post_newest_questions",
            ),
        ),
    ]
