"""Mail for mentions and watched threads, people's languages, and who on the staff edited."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('forum', '0005_cursors_behind'),
    ]

    operations = [
        migrations.AddField(
            model_name='revision',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='user',
            name='language',
            field=models.CharField(blank=True, editable=False, max_length=16, verbose_name='language'),
        ),
        migrations.AddField(
            model_name='user',
            name='mails_mentions',
            field=models.BooleanField(default=False, verbose_name='email me mentions'),
        ),
        migrations.AddField(
            model_name='user',
            name='mails_watched',
            field=models.BooleanField(default=False, verbose_name='email me comments on watched threads'),
        ),
    ]
