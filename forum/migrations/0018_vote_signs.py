"""Adds the networks of accounts, and votes that deserve a look."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Networks are recorded from now on. The worker fills the table of votes."""

    dependencies = [
        ("forum", "0017_void_votes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="flag",
            name="kind",
            field=models.CharField(
                choices=[
                    ("spam", "spam"),
                    ("off_topic", "off topic"),
                    ("unkind", "unkind"),
                    ("illegal", "illegal"),
                    ("broken", "broken or duplicate"),
                    ("other", "other"),
                    ("votes", "many votes of new accounts"),
                ],
                max_length=9,
                verbose_name="reason",
            ),
        ),
        migrations.AlterField(
            model_name="securityevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("login", "Logged in"),
                    ("failure", "Wrong password"),
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
                    ("token_created", "Token created"),
                    ("token_revoked", "Token revoked"),
                    ("feeds_created", "Addresses of private feeds created"),
                    ("feeds_revoked", "Addresses of private feeds revoked"),
                    ("refused", "Permission denied"),
                    ("staff", "Changed by staff"),
                    ("votes_seen", "An admin looked at who voted"),
                ],
                max_length=20,
                verbose_name="kind",
            ),
        ),
        migrations.CreateModel(
            name="VoteSign",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("new", "Many new accounts"),
                            ("network", "Accounts of one network"),
                            ("down", "A burst of down votes"),
                            ("sign_ups", "Accounts that signed up together"),
                        ],
                        max_length=8,
                    ),
                ),
                ("since", models.DateTimeField()),
                ("until", models.DateTimeField()),
                ("votes", models.PositiveIntegerField()),
                ("people", models.JSONField()),
                ("accounts", models.PositiveIntegerField()),
                ("networks", models.PositiveIntegerField(default=0)),
                ("shared", models.PositiveIntegerField(default=0)),
                ("received", models.PositiveIntegerField(default=0)),
                ("found_at", models.DateTimeField(auto_now_add=True)),
                (
                    "comment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="forum.comment",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "post",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="forum.post",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AccountNetwork",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("month", models.CharField(max_length=7)),
                ("network", models.CharField(max_length=32)),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["day", "network"], name="networks_by_day")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("person", "day", "network"), name="network_once_a_person_and_day"
                    )
                ],
            },
        ),
    ]
