"""Adds the day on which a token stops working."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Tokens that exist keep working until they are revoked."""

    dependencies = [("forum", "0005_starting_points")]
    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="last_day",
            field=models.DateField(null=True, verbose_name="last day"),
        ),
    ]
