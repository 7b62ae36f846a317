"""Adds whether each vote counts, waits or is void. All votes so far count."""

from django.db import migrations, models

STATES = [(0, "counts"), (1, "waits"), (2, "void"), (3, "never counts")]


def _state() -> models.PositiveSmallIntegerField:
    return models.PositiveSmallIntegerField(
        choices=STATES, db_default=0, default=0, verbose_name="state"
    )


def _counts_at() -> models.DateTimeField:
    return models.DateTimeField(null=True, verbose_name="counts from")


class Migration(migrations.Migration):
    """The new columns have a default in the database, so no row is rewritten on PostgreSQL."""

    dependencies = [("forum", "0012_visits")]
    operations = [
        migrations.AddField("archivedvote", "state", _state()),
        migrations.AddField("archivedvote", "counts_at", _counts_at()),
        migrations.AddField("ledgerentry", "state", _state()),
        migrations.AddField("ledgerentry", "counts_at", _counts_at()),
        migrations.AlterField(
            model_name="ledgerentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("vote", "vote"),
                    ("start", "starting points"),
                    ("count", "waiting vote counts"),
                    ("void", "void"),
                    ("restore", "restored"),
                ],
                db_default="vote",
                default="vote",
                max_length=8,
                verbose_name="kind",
            ),
        ),
        migrations.AddField(
            "user",
            "counts_at_once",
            models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddIndex(
            model_name="archivedvote",
            index=models.Index(
                condition=models.Q(("state", 1)), fields=["counts_at"], name="waiting_vote"
            ),
        ),
    ]
