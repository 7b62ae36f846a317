from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark_answers(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Mark what was written on a question itself: until now, all of that was an answer."""
    comments = apps.get_model("forum", "Comment").objects.using(editor.connection.alias)
    comments.filter(parent=None, post__kind="question").update(is_answer=True)


class Migration(migrations.Migration):

    dependencies = [
        ('forum', '0008_owner_texts'),
    ]

    operations = [
        migrations.AddField(
            model_name='comment',
            name='is_answer',
            field=models.BooleanField(db_default=False, default=False, editable=False, verbose_name='answer'),
        ),
        migrations.RunPython(mark_answers, migrations.RunPython.noop, elidable=True),
    ]
