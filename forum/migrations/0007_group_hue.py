"""Adds the colour of a group, which admins can choose."""

from django.db import migrations, models

HUES = (
    *("Pink", "Red", "Orange", "Yellow", "Lime", "Green"),
    *("Teal", "Cyan", "Sky blue", "Blue", "Purple", "Magenta"),
)


class Migration(migrations.Migration):
    """Groups that exist get the colour of their short name."""

    dependencies = [("forum", "0006_token_expiry")]
    operations = [
        migrations.AddField(
            model_name="group",
            name="hue",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=list(enumerate(HUES)),
                help_text="If you choose none, the colour depends on the short name.",
                null=True,
                verbose_name="colour",
            ),
        ),
    ]
