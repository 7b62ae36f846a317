"""Adds what is remembered about the groups that a post joined and left after publishing."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Existing posts have no rows: the moderators of all their groups can do everything."""

    dependencies = [("forum", "0013_vote_states")]
    operations = [
        migrations.CreateModel(
            name="GroupChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("added", "Added"), ("left", "Left"), ("out", "Taken Out")],
                        max_length=5,
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="forum.group",
                    ),
                ),
                (
                    "post",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="group_changes",
                        to="forum.post",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("post", "group"), name="one_change_a_post_and_group"
                    )
                ],
            },
        ),
    ]
