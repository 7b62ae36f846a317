"""Adds unconfirmed accounts, former names, and indexes of email addresses and similar names."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Lower

FOLDS = (
    *(("rn", "m"), ("vv", "w"), ("-", ""), ("_", "")),
    *(("i", "l"), ("1", "l"), ("0", "o"), ("5", "s"), ("2", "z"), ("8", "b")),
)
REPLACE = "%(function)s(%(expressions)s, '%(old)s', '%(new)s')"


def skeleton_of(column):
    """Return what `forum.models.skeletons.skeleton_of` returned when this was written."""
    folded = Lower(models.F(column))
    for old, new in FOLDS:
        folded = models.Func(folded, function="REPLACE", template=REPLACE, old=old, new=new)
    return folded


class Migration(migrations.Migration):
    """Existing accounts count as confirmed."""

    dependencies = [("forum", "0014_powers")]
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
            index=models.Index(skeleton_of("username"), name="people_by_skeleton"),
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                condition=models.Q(("is_unconfirmed", True)),
                fields=["date_joined"],
                name="people_unconfirmed",
            ),
        ),
        migrations.CreateModel(
            name="FormerName",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=150)),
                ("changed_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_names",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(Lower("name"), name="former_name"),
                    models.Index(skeleton_of("name"), name="former_name_skeleton"),
                    models.Index(fields=["changed_at"], name="former_name_age"),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="user",
            index=models.Index(
                condition=models.Q(("is_active", True), ("is_staff", True)),
                fields=["username"],
                name="active_staff",
            ),
        ),
    ]
