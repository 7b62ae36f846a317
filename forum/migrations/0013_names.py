"""Adds accounts that wait for confirmation, and an index of email addresses."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Existing accounts count as confirmed."""

    dependencies = [("forum", "0012_visits")]
    operations = [
        migrations.AddField(
            model_name="user",
            name="is_unconfirmed",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(fields=["email"], name="people_by_email"),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                condition=models.Q(("is_unconfirmed", True)),
                fields=["date_joined"],
                name="people_unconfirmed",
            ),
        ),
    ]
