"""Lets only flags of accounts with some age and karma hide posts and comments.

Sites that had not changed the limits for flagging get the new defaults.
"""

from django.core.validators import MaxValueValidator
from django.db import migrations, models

KINDS = [
    ("remove", "removed"),
    ("restore", "restored"),
    ("hold", "held for approval"),
    ("hide", "hidden until a moderator decides"),
    ("approve", "approved"),
    ("reject", "rejected"),
    ("dismiss", "flags dismissed"),
    ("lock", "thread locked"),
    ("unlock", "thread unlocked"),
    ("hold_replies", "replies held for approval"),
    ("release_replies", "replies no longer held"),
    ("edit", "edited"),
    ("merge", "merged"),
    ("warn", "warned"),
    ("ban", "banned"),
    ("unban", "ban ended"),
    ("remove_all", "everything removed"),
    ("restore_flagged", "everything hidden by the same flags restored"),
    ("take_out", "taken out of a group"),
    ("flag", "flagged"),
    ("refuse", "refused"),
    ("appoint", "made moderator"),
    ("discharge", "no longer moderator"),
    ("admit", "application accepted"),
    ("decline", "application declined"),
]


def set_defaults(apps, schema_editor):
    """Give sites that kept the old limits (no age and no karma) the new ones."""
    policies = apps.get_model("forum", "SitePolicy").objects.using(schema_editor.connection.alias)
    unchanged = policies.filter(hide_min_days=0, hide_min_karma=0)
    unchanged.update(hide_min_days=3, hide_min_karma=5)


class Migration(migrations.Migration):
    dependencies = [("forum", "0002_moderators")]

    operations = [
        migrations.RenameField("sitepolicy", "flag_min_days", "hide_min_days"),
        migrations.RenameField("sitepolicy", "flag_min_karma", "hide_min_karma"),
        migrations.RemoveField("sitepolicy", "new_member_flags"),
        migrations.AlterField(
            "sitepolicy",
            "hide_min_days",
            models.PositiveIntegerField(
                "minimum account age for a flag to help hide a post or comment (days)",
                default=3,
                validators=[MaxValueValidator(36_500)],
            ),
        ),
        migrations.AlterField(
            "sitepolicy",
            "hide_min_karma",
            models.IntegerField(
                "karma needed for a flag to help hide a post or comment",
                default=5,
                help_text=(
                    "Everybody can flag, and moderators see all flags. Flags by moderators always"
                    " count."
                ),
            ),
        ),
        migrations.AddField(
            "sitepolicy",
            "hide_author_karma",
            models.IntegerField(
                "karma that protects an author from flags by strangers",
                default=5,
                help_text=(
                    "Flags hide a post or comment by an author with this karma only if a moderator"
                    " flagged it, or somebody with whose earlier flags moderators agreed. Flags of"
                    " any members can hide what authors with less karma write."
                ),
            ),
        ),
        migrations.RunPython(set_defaults, migrations.RunPython.noop),
        migrations.AddField(
            "flag",
            "from_moderator",
            models.BooleanField("by a moderator", default=False),
        ),
        migrations.AlterField(
            "modaction",
            "kind",
            models.CharField("action", choices=KINDS, max_length=16),
        ),
        migrations.AlterField(
            "logplace", "kind", models.CharField(choices=KINDS, max_length=16)
        ),
    ]
