"""Adds exports of people's own data and deletions of accounts, and indexes for retention."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Nothing is deleted until the worker runs."""

    dependencies = [
        ("forum", "0018_vote_signs"),
    ]

    operations = [
        migrations.CreateModel(
            name="DataExport",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                ("ready_at", models.DateTimeField(db_index=True, null=True)),
                ("content", models.BinaryField(default=bytes)),
            ],
        ),
        migrations.CreateModel(
            name="Erasure",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="erasure",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
                (
                    "keeps_texts",
                    models.BooleanField(default=True, verbose_name="posts and comments stay"),
                ),
                ("asked_at", models.DateTimeField(verbose_name="asked for at")),
                ("due_at", models.DateTimeField(db_index=True, verbose_name="begins at")),
                ("done_at", models.DateTimeField(null=True, verbose_name="finished at")),
            ],
            options={
                "verbose_name": "deletion of an account",
                "verbose_name_plural": "deletions of accounts",
            },
        ),
        migrations.AlterField(
            model_name="formername",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="former_names",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="securityevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("login", "Logged in"),
                    ("logout", "Logged out"),
                    ("failure", "Wrong password"),
                    ("passkey_failure", "Passkey not accepted"),
                    ("lock", "Refused after too many wrong passwords or codes"),
                    ("factor_failure", "Wrong two-factor code"),
                    ("factor_added", "Two-factor authentication added"),
                    ("factor_removed", "Two-factor authentication removed"),
                    ("factor_reset", "New recovery codes"),
                    ("reset_request", "Asked for a link to reset the password"),
                    ("reset", "Password reset"),
                    ("password", "Password changed"),
                    ("address_added", "Email address added"),
                    ("address_confirmed", "Email address confirmed"),
                    ("address_changed", "Email goes to another address"),
                    ("address_removed", "Email address removed"),
                    ("name", "User name changed"),
                    ("provider_added", "Account at a provider connected"),
                    ("provider_removed", "Account at a provider disconnected"),
                    ("token_created", "Token created"),
                    ("token_revoked", "Token revoked"),
                    ("feeds_created", "Addresses of private feeds created"),
                    ("feeds_revoked", "Addresses of private feeds revoked"),
                    ("export", "Copy of the data asked for"),
                    ("deletion", "Deletion of the account asked for"),
                    ("kept", "Deletion of the account cancelled"),
                    ("refused", "Permission denied"),
                    ("staff", "Changed by staff"),
                    ("votes_seen", "An admin looked at who voted"),
                    ("void_preview", "A moderator looked at what voiding votes would change"),
                ],
                max_length=20,
                verbose_name="kind",
            ),
        ),
        migrations.AddIndex(
            model_name="comment",
            index=models.Index(
                condition=models.Q(
                    ("deleted_at__isnull", False),
                    ("withheld", ""),
                    models.Q(("body", ""), _negated=True),
                ),
                fields=["deleted_at"],
                name="comments_to_purge",
            ),
        ),
        migrations.AddIndex(
            model_name="inboxitem",
            index=models.Index(
                condition=models.Q(("read_at__isnull", False)),
                fields=["read_at"],
                name="inbox_read",
            ),
        ),
        migrations.AddIndex(
            model_name="post",
            index=models.Index(
                condition=models.Q(
                    ("deleted_at__isnull", False),
                    ("withheld", ""),
                    models.Q(("title", ""), _negated=True),
                ),
                fields=["deleted_at"],
                name="posts_to_purge",
            ),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(fields=["until"], name="revisions_oldest"),
        ),
        migrations.AddField(
            model_name="dataexport",
            name="user",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="data_export",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="erasure",
            name="by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="staff",
            ),
        ),
    ]
