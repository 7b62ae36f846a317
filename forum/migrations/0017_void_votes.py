"""Adds the moderation action with which votes are voided."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Existing actions don't change."""

    dependencies = [
        ("forum", "0016_security_log"),
    ]

    operations = [
        migrations.AlterField(
            model_name="logplace",
            name="kind",
            field=models.CharField(
                choices=[
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
                    ("void_votes", "votes voided"),
                    ("flag", "flagged"),
                    ("refuse", "refused"),
                    ("appoint", "made moderator"),
                    ("discharge", "no longer moderator"),
                    ("admit", "application accepted"),
                    ("decline", "application declined"),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="modaction",
            name="kind",
            field=models.CharField(
                choices=[
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
                    ("void_votes", "votes voided"),
                    ("flag", "flagged"),
                    ("refuse", "refused"),
                    ("appoint", "made moderator"),
                    ("discharge", "no longer moderator"),
                    ("admit", "application accepted"),
                    ("decline", "application declined"),
                ],
                max_length=16,
                verbose_name="action",
            ),
        ),
        migrations.AddIndex(
            model_name="modaction",
            index=models.Index(
                condition=models.Q(("kind", "void_votes")),
                fields=["person", "-id"],
                name="voids_by_person",
            ),
        ),
    ]
