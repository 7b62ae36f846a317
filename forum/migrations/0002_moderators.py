"""Adds the staff role "Moderators", which superusers give to people.

Apart from the initial migration, on which the admin's own migrations depend.
"""

from django.contrib.auth.management import create_permissions
from django.db import migrations

NAME = "Moderators"
PERMISSIONS = {
    "forum": [
        "view_post", "change_post", "view_comment", "change_comment",
        "view_user", "change_user", "view_group",
    ],
    "admin": ["view_logentry"],
}


def add_role(apps, schema_editor):
    """Create the role with its permissions, unless there is a role of that name."""
    roles = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    role, created = roles.get_or_create(name=NAME)
    if not created:
        return
    for label, codenames in PERMISSIONS.items():
        _create_permissions(apps, label, schema_editor.connection.alias)
        permissions = apps.get_model("auth", "Permission").objects.using(
            schema_editor.connection.alias
        )
        role.permissions.add(
            *permissions.filter(content_type__app_label=label, codename__in=codenames)
        )


def _create_permissions(apps, label, alias):
    """Create an app's permissions, which Django otherwise creates after all migrations."""
    config = apps.get_app_config(label)
    if not getattr(config, "models_module", None):  # a state of the past has none, and is skipped
        config.models_module = True
    create_permissions(config, verbosity=0, using=alias, apps=apps)


class Migration(migrations.Migration):
    dependencies = [
        ("forum", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]

    operations = [
        migrations.RunPython(add_role, migrations.RunPython.noop),
    ]
