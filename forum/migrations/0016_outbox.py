"""One outbox for every kind of sync. The former rows are dropped: a rebuild syncs what they say."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("forum", "0015_vote_value")]

    operations = [
        migrations.DeleteModel(name="UntoldBond"),
        migrations.DeleteModel(name="OutboxItem"),
        migrations.CreateModel(
            name="OutboxItem",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=20)),
                ("subject_id", models.PositiveIntegerField(db_index=True, null=True)),
                ("details", models.JSONField()),
                ("in_background", models.BooleanField()),
                ("due_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["in_background", "due_at"], name="outbox_due")]
            },
        ),
        migrations.RemoveIndex(model_name="inboxitem", name="inbox_lately"),
        migrations.RemoveIndex(model_name="inboxitem", name="inbox_read_lately"),
    ]
