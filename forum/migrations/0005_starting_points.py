"""Adds starting points of posts, and kinds of ledger entries.

On SQLite, Django would copy the tables to add a column that isn't null. That drops the triggers of the
search index and takes minutes on a large site.
"""

from django.db import migrations, models
from django.db.models import F, Q

POINTS = F("up") - F("down") + F("starting_points")


def add_column(model, name, field, column):
    """Return the operation that adds a field without copying the table."""
    table = f"forum_{model}"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD COLUMN {name} {column}",
        f"ALTER TABLE {table} DROP COLUMN {name}",
        state_operations=[migrations.AddField(model, name, field)],
    )


class Migration(migrations.Migration):
    dependencies = [("forum", "0004_mail_outbox")]

    operations = [
        add_column(
            "post",
            "starting_points",
            models.IntegerField("starting points", db_default=0, default=0, editable=False),
            "integer DEFAULT 0 NOT NULL",
        ),
        migrations.RemoveIndex("post", "post_points"),
        migrations.AddIndex(
            "post", models.Index(POINTS.desc(), F("id").desc(), name="post_points")
        ),
        add_column(
            "ledgerentry",
            "kind",
            models.CharField(
                "kind",
                choices=[("vote", "vote"), ("start", "starting points")],
                db_default="vote",
                default="vote",
                max_length=8,
            ),
            "varchar(8) DEFAULT 'vote' NOT NULL",
        ),
        migrations.AddField("ledgerentry", "points", models.IntegerField("points", null=True)),
        migrations.AddIndex(
            "ledgerentry",
            models.Index(
                fields=["post_id"], condition=Q(points__isnull=False), name="entry_of_points"
            ),
        ),
    ]
