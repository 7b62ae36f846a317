"""Moves emails from the table of django-tasks-db, which older versions used, into the outbox."""

from datetime import timedelta

from django.db import migrations, models

TABLE = "django_tasks_database_dbtaskresult"
MAILS = {
    "send_reply": ("replies", ["user_id", "comment_id"]),
    "send_mention": ("mentions", ["user_id", "post_id", "comment_id"]),
    "send_watched": ("watched", ["user_id", "comment_id"]),
    "send_message": ("moderators", ["user_id", "message_id"]),
    "send_digest": ("digest", ["user_id", "since"]),
}
"""For each function that was a task: the kind of email, and the names of its arguments."""
KEPT = timedelta(days=7)
OLD_TASK = migrations.CreateModel(
    name="OldTask",
    fields=[
        ("id", models.UUIDField(primary_key=True)),
        ("status", models.TextField()),
        ("enqueued_at", models.DateTimeField()),
        ("started_at", models.DateTimeField(null=True)),
        ("finished_at", models.DateTimeField(null=True)),
        ("args_kwargs", models.JSONField()),
        ("task_path", models.TextField()),
        ("run_after", models.DateTimeField()),
        ("exception_class_path", models.TextField()),
    ],
    options={"managed": False, "db_table": TABLE},
)
"""The columns of the old table that `move_mails` reads."""


def move_mails(apps, schema_editor):
    """Copy emails that wait or failed into the outbox. Then drop the table."""
    connection = schema_editor.connection
    if TABLE not in connection.introspection.table_names():
        return
    if connection.vendor == "postgresql":  # so that a worker that still runs sends nothing twice
        schema_editor.execute(f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")
    old_task = apps.get_model("forum", "OldTask")
    tasks = old_task.objects.using(connection.alias).exclude(status="SUCCESSFUL")
    items = apps.get_model("forum", "OutboxItem").objects.using(connection.alias)
    mails = (task for task in tasks.iterator() if _name(task) in MAILS)
    items.bulk_create((items.model(**_fields(task)) for task in mails), batch_size=500)
    schema_editor.delete_model(old_task)
    schema_editor.execute("DELETE FROM django_migrations WHERE app = 'django_tasks_database'")
    kinds = apps.get_model("contenttypes", "ContentType").objects.using(connection.alias)
    kinds.filter(app_label="django_tasks_database").delete()


def _name(task):
    return task.task_path.rpartition(".")[2]


def _fields(task):
    """Return the fields of the outbox row of an email.

    An email that a worker was sending counts as failed, because it may have been sent.
    """
    (mail, names), given = MAILS[_name(task)], task.args_kwargs["args"]
    earlier = given[len(names)] - 1 if len(given) > len(names) else 0
    details = {name: value for name, value in zip(names, given) if value is not None}
    fields = {
        "kind": "mail",
        "subject_id": given[0],
        "details": {"mail": mail, **details},
        "in_background": True,
    }
    if task.status == "READY":
        # A task that may run at once has a time in the year 9999.
        due_at = task.enqueued_at if task.run_after.year == 9999 else task.run_after
        return fields | {"attempts": earlier, "due_at": due_at}
    failed_at = task.finished_at or task.started_at
    failed = {"failed_at": failed_at, "due_at": failed_at + KEPT, "error": task.exception_class_path}
    return fields | {"attempts": earlier + 1, **failed}


class Migration(migrations.Migration):
    dependencies = [
        ("forum", "0003_flags_that_hide"),
    ]

    operations = [
        migrations.CreateModel(
            name="FailedMail",
            fields=[],
            options={
                "verbose_name": "failed email",
                "verbose_name_plural": "failed emails",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("forum.outboxitem",),
        ),
        migrations.AddField(
            model_name="outboxitem",
            name="attempts",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, verbose_name="attempts"
            ),
        ),
        migrations.AddField(
            model_name="outboxitem",
            name="error",
            field=models.TextField(db_default="", default="", verbose_name="error"),
        ),
        migrations.AddField(
            model_name="outboxitem",
            name="failed_at",
            field=models.DateTimeField(null=True, verbose_name="time"),
        ),
        migrations.AlterField(
            model_name="outboxitem",
            name="details",
            field=models.JSONField(verbose_name="details"),
        ),
        migrations.AddIndex(
            model_name="outboxitem",
            index=models.Index(fields=["kind", "due_at"], name="outbox_kind"),
        ),
        OLD_TASK,
        migrations.RunPython(move_mails, migrations.RunPython.noop),
        migrations.DeleteModel(name="OldTask"),
    ]
