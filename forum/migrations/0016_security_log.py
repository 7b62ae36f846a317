"""Adds the security log."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """The log begins now."""

    dependencies = [
        ("forum", "0015_names"),
    ]

    operations = [
        migrations.CreateModel(
            name="SecurityEvent",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True, verbose_name="time")),
                (
                    "kind",
                    models.CharField(
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
                        ],
                        max_length=20,
                        verbose_name="kind",
                    ),
                ),
                ("network", models.CharField(blank=True, max_length=32, verbose_name="network")),
                ("details", models.JSONField(default=dict, verbose_name="details")),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="staff",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "verbose_name": "security event",
                "verbose_name_plural": "security log",
                "indexes": [models.Index(fields=["person", "-id"], name="security_of_person")],
            },
        ),
    ]
