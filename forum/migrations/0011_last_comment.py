import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BATCH = 2_000


def find_last_comments(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Note the newest comment of each post, and have the worker sync those posts to Redis."""
    using = editor.connection.alias
    comments = apps.get_model("forum", "Comment").objects.using(using)
    here = comments.filter(post_id=models.OuterRef("pk"), deleted_at=None).order_by("-pk")
    posts = apps.get_model("forum", "Post").objects.using(using).filter(comment_count__gt=0)
    posts.update(last_comment=models.Subquery(here.values("pk")[:1]))
    items = apps.get_model("forum", "OutboxItem")
    ids = posts.filter(deleted_at=None).values_list("pk", flat=True).order_by("pk")
    after = 0
    while batch := list(ids.filter(pk__gt=after)[:BATCH]):
        after = batch[-1]
        items.objects.using(using).bulk_create(items(post_id=pk) for pk in batch)


class Migration(migrations.Migration):

    dependencies = [
        ('forum', '0010_pins'),
    ]

    operations = [
        migrations.AddField(
            model_name='post',
            name='last_comment',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.comment', verbose_name='newest comment'),
        ),
        migrations.RunPython(find_last_comments, migrations.RunPython.noop, elidable=True),
    ]
