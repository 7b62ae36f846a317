"""Creates all tables.

Indexes and constraints are written in `CreateModel`, not as operations of their own. Django builds
all related models again for each operation on an existing model, which takes about 0.1 s.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from forum.search import index


class Migration(migrations.Migration):

    initial = True

    # Earlier migrations, which created the same tables.
    replaces = [
        ('forum', '0003_moderation'),
        ('forum', '0004_search'),
        ('forum', '0005_saved_searches'),
        ('forum', '0006_feed_keys'),
        ('forum', '0007_previews'),
        ('forum', '0008_days'),
        ('forum', '0009_api_tokens'),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('about', models.TextField(blank=True, max_length=2000, verbose_name='bio')),
                ('origin', models.CharField(editable=False, max_length=100, null=True, unique=True)),
                ('karma', models.IntegerField(default=0, editable=False, verbose_name='karma')),
                ('likes_given', models.PositiveIntegerField(default=0, editable=False)),
                ('keeps_history', models.BooleanField(default=True, verbose_name='remember posts I viewed')),
                ('hides_read', models.BooleanField(default=False, verbose_name='hide posts I have read')),
                ('muted', models.JSONField(blank=True, default=list, editable=False)),
                ('watches_own', models.BooleanField(db_default=True, default=True, verbose_name='watch threads I write in')),
                ('mails_replies', models.BooleanField(default=False, verbose_name='email me replies')),
                ('mails_mentions', models.BooleanField(default=False, verbose_name='email me mentions')),
                ('mails_watched', models.BooleanField(default=False, verbose_name='email me comments on watched threads')),
                ('mails_moderators', models.BooleanField(db_default=False, default=False, verbose_name='email me messages from moderators')),
                ('digest', models.CharField(choices=[('none', 'no digest'), ('daily', 'a daily digest'), ('weekly', 'a weekly digest')], default='none', max_length=6, verbose_name='digest')),
                ('digest_at', models.DateTimeField(editable=False, null=True)),
                ('is_auditor', models.BooleanField(db_default=False, default=False, help_text="Can read the moderation queue and everything that moderators see, but can't change anything.", verbose_name='auditor')),
                ('is_applicant', models.BooleanField(db_default=False, default=False, editable=False)),
                ('language', models.CharField(blank=True, editable=False, max_length=16, verbose_name='language')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
                'indexes': [models.Index(fields=['digest', 'digest_at'], name='digests_due')],
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='one_person_a_name', violation_error_message='This user name is taken.')],
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=60, verbose_name='name')),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('scopes', models.JSONField(default=list, verbose_name='what the token allows')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('used_at', models.DateTimeField(editable=False, null=True, verbose_name='last used')),
            ],
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('generation', models.CharField(max_length=32)),
                ('shard', models.PositiveSmallIntegerField()),
                ('entry', models.CharField(max_length=32)),
                ('user_id', models.PositiveIntegerField(verbose_name='person')),
                ('post_id', models.PositiveIntegerField(verbose_name='post')),
                ('comment_id', models.PositiveIntegerField(default=0, verbose_name='comment')),
                ('vote', models.SmallIntegerField(verbose_name='vote')),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'verbose_name': 'vote log entry',
                'verbose_name_plural': 'vote log',
                'indexes': [models.Index(fields=['post_id', 'comment_id'], name='entry_by_target')],
                'constraints': [models.UniqueConstraint(fields=('generation', 'shard', 'entry'), name='entry_once')],
            },
        ),
        migrations.CreateModel(
            name='ArchivedVote',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('user_id', models.PositiveIntegerField(verbose_name='person')),
                ('post_id', models.PositiveIntegerField(verbose_name='post')),
                ('comment_id', models.PositiveIntegerField(default=0, verbose_name='comment')),
                ('vote', models.SmallIntegerField(verbose_name='vote')),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'verbose_name': 'vote',
                'verbose_name_plural': 'votes',
                'indexes': [models.Index(fields=['user_id', '-at'], name='vote_by_person')],
                'constraints': [models.UniqueConstraint(fields=('post_id', 'comment_id', 'user_id'), name='one_vote_a_person_and_target')],
            },
        ),
        migrations.CreateModel(
            name='UnitedVote',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('post_id', models.PositiveIntegerField()),
                ('user_id', models.PositiveIntegerField()),
                ('vote', models.SmallIntegerField()),
                ('at', models.DateTimeField()),
                ('own_vote', models.SmallIntegerField(null=True)),
                ('own_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('post_id', 'user_id'), name='vote_united_once')],
            },
        ),
        migrations.CreateModel(
            name='LedgerCursor',
            fields=[
                ('shard', models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ('generation', models.CharField(max_length=32)),
                ('entry', models.CharField(default='0-0', max_length=32)),
                ('behind', models.PositiveIntegerField(db_default=0, default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Group',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(help_text='Part of the URL. After a change, the old URL redirects to the new one.', max_length=40, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9.-]*\\Z', 'Use small letters, digits, dots and hyphens.')], verbose_name='short name')),
                ('title', models.CharField(max_length=100, verbose_name='title')),
                ('description', models.TextField(blank=True, max_length=2000, verbose_name='description')),
                ('closed', models.BooleanField(default=False, help_text='Everybody can still read the group, vote and comment.', verbose_name='closed to new posts')),
                ('moderators_appoint', models.BooleanField(db_default=False, default=False, help_text="If this is off, only admins choose this group's moderators.", verbose_name='moderators may appoint moderators')),
                ('merged_into', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.group')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
            ],
            options={
                'verbose_name': 'group',
                'verbose_name_plural': 'groups',
                'ordering': ['slug'],
            },
        ),
        migrations.CreateModel(
            name='GroupAlias',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.CharField(max_length=40, unique=True)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='aliases', to='forum.group')),
            ],
        ),
        migrations.CreateModel(
            name='Post',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='posts', to=settings.AUTH_USER_MODEL, verbose_name='author')),
                ('kind', models.CharField(choices=[('link', 'link'), ('text', 'text'), ('question', 'question')], max_length=8, verbose_name='kind')),
                ('title', models.CharField(max_length=200, verbose_name='title')),
                ('url', models.URLField(blank=True, max_length=2000, verbose_name='URL')),
                ('url_key', models.CharField(blank=True, editable=False, max_length=2000)),
                ('body', models.TextField(blank=True, max_length=40000, verbose_name='text')),
                ('body_html', models.TextField(blank=True, editable=False)),
                ('created_at', models.DateTimeField(verbose_name='posted at')),
                ('edited_at', models.DateTimeField(blank=True, null=True, verbose_name='edited at')),
                ('deleted_at', models.DateTimeField(blank=True, null=True, verbose_name='deleted at')),
                ('withheld', models.CharField(blank=True, choices=[('removed', 'removed by moderators'), ('held', 'waiting for approval'), ('hidden', 'hidden until a moderator decides'), ('merged', 'merged into another post')], db_default='', default='', editable=False, max_length=7)),
                ('locked', models.BooleanField(db_default=False, default=False, editable=False, verbose_name='locked')),
                ('holds_replies', models.BooleanField(db_default=False, default=False, editable=False)),
                ('merged_into', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='forum.post')),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('up', models.PositiveIntegerField(default=0, editable=False, verbose_name='up votes')),
                ('down', models.PositiveIntegerField(default=0, editable=False, verbose_name='down votes')),
                ('score', models.FloatField(default=0, editable=False, verbose_name='score')),
                ('comment_count', models.PositiveIntegerField(default=0, editable=False, verbose_name='comments')),
                ('commented_at', models.DateTimeField(editable=False, null=True, verbose_name='last comment')),
                ('views', models.PositiveIntegerField(default=0, editable=False, verbose_name='views')),
                ('origin', models.CharField(editable=False, max_length=64, null=True, unique=True)),
                ('host', models.CharField(blank=True, db_default='', default='', editable=False, max_length=255)),
                ('search_text', models.TextField(blank=True, db_default='', default='', editable=False)),
                ('groups', models.ManyToManyField(related_name='posts', to='forum.group', verbose_name='groups')),
            ],
            options={
                'verbose_name': 'post',
                'verbose_name_plural': 'posts',
                'indexes': [models.Index(fields=['-created_at', '-id'], name='post_newest'), models.Index(fields=['-score', '-id'], name='post_best'), models.Index(models.OrderBy(django.db.models.expressions.CombinedExpression(models.F('up'), '-', models.F('down')), descending=True), models.OrderBy(models.F('id'), descending=True), name='post_points'), models.Index(models.OrderBy(django.db.models.functions.comparison.Coalesce('commented_at', 'created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='post_active'), models.Index(fields=['-views', '-id'], name='post_viewed'), models.Index(fields=['author', '-created_at'], name='post_by_author'), models.Index(fields=['url_key', '-created_at'], name='post_by_address', opclasses=['varchar_pattern_ops', 'timestamptz_ops']), models.Index(fields=['host', '-id'], name='post_by_host'), models.Index(condition=models.Q(('search_text', '')), fields=['id'], name='post_not_searchable')],
            },
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('post', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='forum.post', verbose_name='post')),
                ('parent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replies', to='forum.comment', verbose_name='in reply to')),
                ('is_answer', models.BooleanField(db_default=False, default=False, editable=False, verbose_name='answer')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to=settings.AUTH_USER_MODEL, verbose_name='author')),
                ('body', models.TextField(max_length=10000, verbose_name='text')),
                ('body_html', models.TextField(editable=False)),
                ('created_at', models.DateTimeField(verbose_name='posted at')),
                ('edited_at', models.DateTimeField(blank=True, null=True, verbose_name='edited at')),
                ('deleted_at', models.DateTimeField(blank=True, null=True, verbose_name='deleted at')),
                ('withheld', models.CharField(blank=True, choices=[('removed', 'removed by moderators'), ('held', 'waiting for approval'), ('hidden', 'hidden until a moderator decides'), ('merged', 'merged into another post')], db_default='', default='', editable=False, max_length=7)),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('up', models.PositiveIntegerField(default=0, editable=False, verbose_name='up votes')),
                ('down', models.PositiveIntegerField(default=0, editable=False, verbose_name='down votes')),
                ('search_text', models.TextField(blank=True, db_default='', default='', editable=False)),
            ],
            options={
                'verbose_name': 'comment',
                'verbose_name_plural': 'comments',
                'indexes': [models.Index(fields=['post', '-id'], name='comment_by_post'), models.Index(fields=['author', '-id'], name='comment_by_author'), models.Index(condition=models.Q(('search_text', '')), fields=['id'], name='comment_not_searchable')],
            },
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('post', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='forum.post')),
                ('comment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='forum.comment')),
                ('title', models.CharField(blank=True, max_length=200, verbose_name='title')),
                ('body', models.TextField(blank=True, verbose_name='text')),
                ('url', models.URLField(blank=True, max_length=2000, verbose_name='URL')),
                ('until', models.DateTimeField(verbose_name='valid until')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'revision',
                'verbose_name_plural': 'revisions',
            },
        ),
        migrations.CreateModel(
            name='Rule',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rules', to='forum.group')),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('about', models.CharField(choices=[('post', 'posts'), ('comment', 'comments'), ('any', 'posts and comments')], default='any', max_length=7, verbose_name='applies to')),
                ('younger_than_days', models.PositiveIntegerField(blank=True, null=True, verbose_name='account age below (days)')),
                ('karma_below', models.IntegerField(blank=True, null=True, verbose_name='karma below')),
                ('domains', models.TextField(blank=True, help_text='One per line. Subdomains are included.', max_length=4000, verbose_name='links to one of these domains')),
                ('words', models.TextField(blank=True, help_text='One word or phrase per line. * stands for any letters: casino*', max_length=4000, verbose_name='contains one of these words')),
                ('flags_at_least', models.PositiveIntegerField(blank=True, null=True, verbose_name='at least this many flags')),
                ('effect', models.CharField(choices=[('hold', 'hold for approval'), ('flag', 'flag'), ('refuse', 'refuse with a message')], default='hold', max_length=6, verbose_name='what the rule does')),
                ('message', models.CharField(blank=True, help_text='The author sees this message.', max_length=300, verbose_name='message')),
                ('enabled', models.BooleanField(default=False, verbose_name='enabled')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'automatic rule',
                'verbose_name_plural': 'automatic rules',
                'indexes': [models.Index(fields=['enabled', 'group'], name='rules_enabled')],
            },
        ),
        migrations.CreateModel(
            name='Mute',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mutes', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('word', 'word'), ('domain', 'domain')], max_length=6)),
                ('text', models.CharField(max_length=100, verbose_name='word or domain')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'text'), name='muted_once')],
            },
        ),
        migrations.CreateModel(
            name='ModAction',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('remove', 'removed'), ('restore', 'restored'), ('hold', 'held for approval'), ('hide', 'hidden until a moderator decides'), ('approve', 'approved'), ('reject', 'rejected'), ('dismiss', 'flags dismissed'), ('lock', 'thread locked'), ('unlock', 'thread unlocked'), ('hold_replies', 'replies held for approval'), ('release_replies', 'replies no longer held'), ('edit', 'edited'), ('merge', 'merged'), ('warn', 'warned'), ('ban', 'banned'), ('unban', 'ban ended'), ('remove_all', 'everything removed'), ('take_out', 'taken out of a group'), ('flag', 'flagged'), ('refuse', 'refused'), ('appoint', 'made moderator'), ('discharge', 'no longer moderator'), ('admit', 'application accepted'), ('decline', 'application declined')], max_length=16, verbose_name='action')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='moderator')),
                ('rule', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.rule', verbose_name='rule')),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.group', verbose_name='group')),
                ('person', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('post', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='forum.post', verbose_name='post')),
                ('comment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='forum.comment', verbose_name='comment')),
                ('reason', models.TextField(blank=True, max_length=1000, verbose_name='reason')),
                ('is_private', models.BooleanField(default=False, verbose_name='private')),
                ('until', models.DateTimeField(null=True, verbose_name='until')),
                ('details', models.JSONField(default=dict)),
                ('parent', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='parts', to='forum.modaction')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('undone_at', models.DateTimeField(null=True, verbose_name='undone at')),
                ('undone_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'moderation action',
                'verbose_name_plural': 'moderation log',
                'indexes': [models.Index(fields=['person', '-id'], name='action_by_person'), models.Index(condition=models.Q(('parent', None)), fields=['-id'], name='action_log'), models.Index(condition=models.Q(('parent', None)), fields=['kind', '-id'], name='log_by_kind'), models.Index(condition=models.Q(('parent', None)), fields=['by', '-id'], name='log_by_moderator'), models.Index(condition=models.Q(('parent', None)), fields=['by', 'kind', '-id'], name='log_by_both'), models.Index(condition=models.Q(('parent', None)), fields=['person', '-id'], name='log_by_person'), models.Index(fields=['parent', '-id'], name='action_parts')],
            },
        ),
        migrations.CreateModel(
            name='LogPlace',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('action', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='forum.modaction')),
                ('group', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.group')),
                ('kind', models.CharField(choices=[('remove', 'removed'), ('restore', 'restored'), ('hold', 'held for approval'), ('hide', 'hidden until a moderator decides'), ('approve', 'approved'), ('reject', 'rejected'), ('dismiss', 'flags dismissed'), ('lock', 'thread locked'), ('unlock', 'thread unlocked'), ('hold_replies', 'replies held for approval'), ('release_replies', 'replies no longer held'), ('edit', 'edited'), ('merge', 'merged'), ('warn', 'warned'), ('ban', 'banned'), ('unban', 'ban ended'), ('remove_all', 'everything removed'), ('take_out', 'taken out of a group'), ('flag', 'flagged'), ('refuse', 'refused'), ('appoint', 'made moderator'), ('discharge', 'no longer moderator'), ('admit', 'application accepted'), ('decline', 'application declined')], max_length=16)),
                ('by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['group', 'kind', '-action'], name='group_log_by_kind'), models.Index(fields=['group', 'by', '-action'], name='group_log_by_moderator')],
                'constraints': [models.UniqueConstraint(fields=('group', 'action'), name='action_once_a_group')],
            },
        ),
        migrations.CreateModel(
            name='Ban',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bans', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.group')),
                ('action', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='forum.modaction')),
                ('until', models.DateTimeField(null=True, verbose_name='until')),
                ('lifted_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'ban',
                'verbose_name_plural': 'bans',
                'constraints': [models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('user', 'group'), name='one_ban_a_person_and_group'), models.UniqueConstraint(condition=models.Q(('group', None), ('lifted_at', None)), fields=('user',), name='one_ban_from_the_site')],
            },
        ),
        migrations.CreateModel(
            name='Conversation',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conversations', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.group')),
                ('state', models.CharField(choices=[('open', 'open'), ('answered', 'answered by moderators'), ('closed', 'closed')], default='answered', max_length=8, verbose_name='state')),
                ('updated_at', models.DateTimeField(verbose_name='changed at')),
            ],
            options={
                'verbose_name': 'conversation',
                'verbose_name_plural': 'conversations',
                'indexes': [models.Index(fields=['-updated_at', '-id'], name='conversations_newest'), models.Index(fields=['state', '-updated_at'], name='conversations_by_state'), models.Index(fields=['group', '-updated_at'], name='conversations_by_group')],
                'constraints': [models.UniqueConstraint(fields=('user', 'group'), name='one_conversation_a_group'), models.UniqueConstraint(condition=models.Q(('group', None)), fields=('user',), name='one_conversation_with_the_site')],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('conversation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='forum.conversation')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('from_moderators', models.BooleanField()),
                ('action', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='forum.modaction')),
                ('body', models.TextField(blank=True, max_length=10000, verbose_name='message')),
                ('body_html', models.TextField(blank=True, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
            ],
            options={
                'indexes': [models.Index(fields=['conversation', 'id'], name='messages_in_order')],
            },
        ),
        migrations.CreateModel(
            name='ModNote',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mod_notes', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.group')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('text', models.TextField(max_length=2000, verbose_name='note')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='notes_of_person')],
            },
        ),
        migrations.CreateModel(
            name='FinishedDay',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name='DayPost',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='best', to='forum.finishedday')),
                ('rank', models.PositiveSmallIntegerField()),
                ('post', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='of_day', to='forum.post')),
                ('points', models.IntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'rank'), name='day_rank_once')],
            },
        ),
        migrations.CreateModel(
            name='FeedKey',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='feed_key', to=settings.AUTH_USER_MODEL)),
                ('key_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
            ],
        ),
        migrations.CreateModel(
            name='QueueItem',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('flagged', 'flagged'), ('person', 'flagged person'), ('held', 'held for approval'), ('application', 'application')], max_length=11, verbose_name='kind')),
                ('post', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.post')),
                ('comment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.comment')),
                ('person', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('weight', models.FloatField(default=0, verbose_name='weight')),
                ('group_weight', models.FloatField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('decided_at', models.DateTimeField(null=True, verbose_name='decided at')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('decision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='forum.modaction')),
            ],
            options={
                'verbose_name': 'queue item',
                'verbose_name_plural': 'moderation queue',
                'indexes': [models.Index(condition=models.Q(('decided_at', None)), fields=['kind', '-weight', '-id'], name='queue_open'), models.Index(condition=models.Q(('decided_at__isnull', False)), fields=['kind', '-decided_at', '-id'], name='queue_decided')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('decided_at', None)), fields=('post',), name='one_open_item_a_post'), models.UniqueConstraint(condition=models.Q(('decided_at', None)), fields=('comment',), name='one_open_item_a_comment'), models.UniqueConstraint(condition=models.Q(('decided_at', None)), fields=('person',), name='one_open_item_a_person')],
            },
        ),
        migrations.CreateModel(
            name='QueuePlace',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='forum.queueitem')),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.group')),
                ('kind', models.CharField(choices=[('flagged', 'flagged'), ('person', 'flagged person'), ('held', 'held for approval'), ('application', 'application')], max_length=11)),
                ('weight', models.FloatField(default=0)),
                ('decided_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('decided_at', None)), fields=['group', 'kind', '-weight', '-item'], name='queue_open_in_group'), models.Index(condition=models.Q(('decided_at__isnull', False)), fields=['group', 'kind', '-decided_at', '-item'], name='queue_decided_in_group')],
                'constraints': [models.UniqueConstraint(fields=('item', 'group'), name='one_place_a_group')],
            },
        ),
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='flags', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='flags', to='forum.queueitem')),
                ('kind', models.CharField(choices=[('spam', 'spam'), ('off_topic', 'off topic'), ('unkind', 'unkind'), ('illegal', 'illegal'), ('broken', 'broken or duplicate'), ('other', 'other')], max_length=9, verbose_name='reason')),
                ('words', models.CharField(blank=True, max_length=500, verbose_name='in your own words')),
                ('weight', models.FloatField(verbose_name='weight')),
                ('to_admins', models.BooleanField(default=False, verbose_name='only for site moderators')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('outcome', models.CharField(blank=True, choices=[('', 'open'), ('agreed', 'moderators agreed'), ('disagreed', 'moderators disagreed')], default='', max_length=9, verbose_name='outcome')),
            ],
            options={
                'verbose_name': 'flag',
                'verbose_name_plural': 'flags',
                'indexes': [models.Index(fields=['user', 'outcome'], name='flag_outcomes'), models.Index(fields=['user', '-id'], name='flags_by_person')],
                'constraints': [models.UniqueConstraint(fields=('item', 'user'), name='flagged_once_a_person')],
            },
        ),
        migrations.CreateModel(
            name='InboxItem',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='inbox', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('reply', 'replies to you'), ('mention', 'mentions of you'), ('watched', 'comments on threads you watch'), ('follower', 'new followers'), ('accepted', 'your accepted answers'), ('moderator', 'messages from moderators'), ('flag', 'decisions about your flags')], max_length=9)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('post', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.post')),
                ('comment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.comment')),
                ('conversation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.conversation')),
                ('text', models.TextField(blank=True, verbose_name='text')),
                ('created_at', models.DateTimeField(verbose_name='time')),
                ('read_at', models.DateTimeField(blank=True, null=True, verbose_name='read at')),
            ],
            options={
                'verbose_name': 'inbox item',
                'verbose_name_plural': 'inbox items',
                'indexes': [models.Index(fields=['user', '-id'], name='inbox_newest'), models.Index(condition=models.Q(('read_at', None)), fields=['user', 'kind'], name='inbox_unread')],
                'constraints': [models.UniqueConstraint(fields=('user', 'comment', 'kind'), name='told_once')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=43, unique=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('used_by', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='invitation', to=settings.AUTH_USER_MODEL)),
                ('revoked_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
                'indexes': [models.Index(fields=['by', '-id'], name='invitations_by_person'), models.Index(condition=models.Q(('used_by__isnull', False)), fields=['by', '-id'], name='invited_by_person'), models.Index(condition=models.Q(('used_by__isnull', False)), fields=['-id'], name='invited')],
            },
        ),
        migrations.CreateModel(
            name='Application',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='application', to=settings.AUTH_USER_MODEL)),
                ('answer', models.TextField(max_length=2000, verbose_name='answer')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('accepted', models.BooleanField(null=True)),
            ],
            options={
                'verbose_name': 'application',
                'verbose_name_plural': 'applications',
            },
        ),
        migrations.CreateModel(
            name='GroupModerator',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='moderators', to='forum.group', verbose_name='group')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='moderates', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='since')),
            ],
            options={
                'verbose_name': 'moderator of a group',
                'verbose_name_plural': 'moderators of groups',
                'constraints': [models.UniqueConstraint(fields=('group', 'user'), name='moderator_once_a_group')],
            },
        ),
        migrations.CreateModel(
            name='MovedComment',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('action', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='moved_comments', to='forum.modaction')),
                ('comment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.comment')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('action', 'comment'), name='moved_once_a_merge')],
            },
        ),
        migrations.CreateModel(
            name='DailyViews',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('post_id', models.PositiveIntegerField(verbose_name='post')),
                ('day', models.DateField(verbose_name='day')),
                ('views', models.PositiveIntegerField(default=0, verbose_name='views')),
            ],
            options={
                'indexes': [models.Index(fields=['day'], name='views_of_day')],
                'constraints': [models.UniqueConstraint(fields=('post_id', 'day'), name='views_once')],
            },
        ),
        migrations.CreateModel(
            name='BoardPoints',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('day', models.DateField(verbose_name='day')),
                ('group', models.CharField(blank=True, max_length=40)),
                ('kind', models.CharField(choices=[('post', 'post'), ('person', 'person')], max_length=6)),
                ('subject_id', models.PositiveIntegerField()),
                ('points', models.IntegerField(default=0, verbose_name='points')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'group', 'kind', 'subject_id'), name='board_row_once')],
            },
        ),
        migrations.CreateModel(
            name='ActivityPiece',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(verbose_name='day')),
                ('piece', models.PositiveSmallIntegerField()),
                ('bits', models.BinaryField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('day', 'piece'), name='piece_once')],
            },
        ),
        migrations.CreateModel(
            name='OutboxItem',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=20)),
                ('subject_id', models.PositiveIntegerField(db_index=True, null=True)),
                ('details', models.JSONField()),
                ('in_background', models.BooleanField()),
                ('due_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['in_background', 'due_at'], name='outbox_due')],
            },
        ),
        migrations.CreateModel(
            name='Pin',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('post', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pins', to='forum.post')),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='pins', to='forum.group')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('until', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('post', 'group'), name='pinned_once_a_group'), models.UniqueConstraint(condition=models.Q(('group', None)), fields=('post',), name='pinned_once_to_the_site')],
            },
        ),
        migrations.CreateModel(
            name='SitePolicy',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('names_moderators', models.BooleanField(default=False, help_text='The moderation log and notices name the moderator who acted. If this setting is off, they name only the group.', verbose_name="show moderators' names")),
                ('reasons', models.TextField(default='Spam\nOff topic\nUnkind\nIllegal\nDuplicate\nBroken link\n', help_text='One per line. Moderators choose one of these or write their own.', max_length=2000, verbose_name='reasons')),
                ('flag_min_days', models.PositiveIntegerField(default=0, verbose_name='minimum account age to flag (days)')),
                ('flag_min_karma', models.IntegerField(default=0, verbose_name='karma needed to flag')),
                ('new_member_flags', models.PositiveIntegerField(default=5, verbose_name='flags per day for a new member')),
                ('queue_weight', models.FloatField(default=0.3, validators=[django.core.validators.MinValueValidator(0)], verbose_name='flag weight that puts an item in the moderation queue')),
                ('hide_weight', models.FloatField(default=3.0, help_text='The item is hidden from readers until a moderator decides.', validators=[django.core.validators.MinValueValidator(0)], verbose_name='flag weight that hides a post or comment')),
                ('holds_new_domains', models.BooleanField(default=False, help_text="A domain is new if nobody has posted a link to it before. This setting applies only to a new member's first post.", verbose_name='hold posts that link to new domains')),
                ('sign_up', models.CharField(choices=[('open', 'open to everybody'), ('invitation', 'by invitation'), ('application', 'by application'), ('closed', 'closed')], default='open', max_length=11, verbose_name='sign-up')),
                ('question', models.CharField(blank=True, default='Why would you like to join?', max_length=300, verbose_name='question to applicants')),
                ('invite_min_days', models.PositiveIntegerField(default=7, verbose_name='minimum account age to invite (days)')),
                ('invite_min_karma', models.IntegerField(default=10, verbose_name='karma needed to invite')),
                ('invitations_a_month', models.PositiveIntegerField(default=5, verbose_name='invitations per member in 30 days')),
                ('sign_ups_a_network', models.PositiveIntegerField(default=20, validators=[django.core.validators.MinValueValidator(1)], verbose_name='sign-ups per day from one network')),
                ('sign_ups_a_mail_domain', models.PositiveIntegerField(default=50, help_text="This limit doesn't apply to large public email services.", validators=[django.core.validators.MinValueValidator(1)], verbose_name='sign-ups per day from one email domain')),
            ],
            options={
                'verbose_name': 'moderation and sign-up',
                'verbose_name_plural': 'moderation and sign-up',
            },
        ),
        migrations.CreateModel(
            name='PreviewImage',
            fields=[
                ('post', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='preview_image', serialize=False, to='forum.post')),
                ('digest', models.CharField(max_length=16)),
                ('post_version', models.PositiveIntegerField()),
                ('png', models.BinaryField()),
                ('drawn_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='SavedSearch',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_searches', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=60, verbose_name='name')),
                ('text', models.CharField(max_length=500, verbose_name='search')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'name'), name='search_saved_once')],
            },
        ),
        migrations.CreateModel(
            name='SiteText',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(choices=[('rules', 'Rules'), ('privacy', 'Privacy'), ('contact', 'Contact'), ('about', 'About')], max_length=7, verbose_name='page')),
                ('language', models.CharField(blank=True, max_length=10, verbose_name='language')),
                ('body', models.TextField(max_length=40000, verbose_name='text')),
                ('body_html', models.TextField(editable=False)),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='changed at')),
            ],
            options={
                'verbose_name': 'site text',
                'verbose_name_plural': 'site texts',
                'ordering': ['page', 'language'],
                'constraints': [models.UniqueConstraint(fields=('page', 'language'), name='one_text_a_page_and_language', violation_error_message='This page already has a text in this language.')],
            },
        ),
        migrations.CreateModel(
            name='SiteIdentity',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tagline', models.CharField(blank=True, help_text='One sentence that guests read on the front page.', max_length=120, verbose_name='tagline')),
                ('logo', models.BinaryField(default=bytes)),
            ],
            options={
                'verbose_name': 'tagline and logo',
                'verbose_name_plural': 'tagline and logo',
            },
        ),
        migrations.CreateModel(
            name='PersonFollow',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('follower', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='follows', to=settings.AUTH_USER_MODEL)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fans', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'indexes': [models.Index(fields=['person', '-at'], name='fans_newest')],
                'constraints': [models.UniqueConstraint(fields=('follower', 'person'), name='person_followed_once')],
            },
        ),
        migrations.CreateModel(
            name='GroupFollow',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('follower', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='group_follows', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fans', to='forum.group')),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('follower', 'group'), name='group_followed_once')],
            },
        ),
        migrations.CreateModel(
            name='HiddenGroup',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hidden_groups', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.group')),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'group'), name='group_hidden_once')],
            },
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to=settings.AUTH_USER_MODEL)),
                ('blocked', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'blocked'), name='person_blocked_once')],
            },
        ),
        migrations.CreateModel(
            name='Mark',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='marks', to=settings.AUTH_USER_MODEL)),
                ('post', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.post')),
                ('kind', models.CharField(choices=[('saved', 'saved'), ('hidden', 'hidden')], max_length=6)),
                ('at', models.DateTimeField(verbose_name='time')),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'kind', '-at'], name='marks_newest')],
                'constraints': [models.UniqueConstraint(fields=('user', 'kind', 'post'), name='post_marked_once')],
            },
        ),
        migrations.CreateModel(
            name='Watch',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watches', to=settings.AUTH_USER_MODEL)),
                ('post', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watches', to='forum.post')),
                ('on', models.BooleanField(default=True)),
                ('united_from', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='forum.post')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('post', 'user'), name='post_watched_once')],
            },
        ),
        migrations.CreateModel(
            name='VoteValue',
            fields=[
                ('id', models.AutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(unique=True, verbose_name='day')),
                ('at', models.DateTimeField(verbose_name='time')),
                ('votes_per_day', models.PositiveSmallIntegerField(verbose_name='votes that make a post one day newer')),
                ('measured', models.IntegerField(verbose_name='votes on a good post')),
                ('posts', models.PositiveIntegerField(verbose_name='posts measured')),
            ],
            options={
                'verbose_name': 'value of a vote',
                'verbose_name_plural': 'value of a vote, by day',
                'ordering': ('-day',),
            },
        ),
        migrations.AddField(
            model_name='comment',
            name='withheld_by',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.modaction'),
        ),
        migrations.AddField(
            model_name='post',
            name='accepted',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.comment', verbose_name='accepted answer'),
        ),
        migrations.AddField(
            model_name='post',
            name='last_comment',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.comment', verbose_name='newest comment'),
        ),
        migrations.AddField(
            model_name='post',
            name='withheld_by',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='forum.modaction'),
        ),
        migrations.AddField(
            model_name='queueitem',
            name='groups',
            field=models.ManyToManyField(related_name='+', through='forum.QueuePlace', to='forum.group'),
        ),
        migrations.RunPython(index.create, index.drop),
    ]
