-- Creates a big site: 100,000 posts, 300,000 comments, 100,000 people, and their votes, follows and
-- other relations. Person 1 reads, votes, follows people and saves posts. Person 2 wrote many texts.
-- Post 50,000 is old and has 5,000 comments. All rows are the same in every run, except times.

SET session_replication_role = replica;  -- don't check foreign keys for each row

INSERT INTO forum_user (id, username, password, email, first_name, last_name, about, is_active,
    is_staff, is_superuser, date_joined, karma, likes_given, keeps_history, hides_read, muted,
    mails_replies, mails_mentions, mails_watched, digest, digest_at, language)
SELECT i, 'Person' || i, '', 'p' || i || '@example.org', '', '', '', true, i = 3, i = 3,
    now() - i * interval '20 minutes', i % 500, i % 300, true, false, '[]', false,
    false, false, CASE WHEN i % 100 = 0 THEN 'daily' ELSE 'none' END, now() - interval '1 hour', ''
FROM generate_series(1, 100000) i;

INSERT INTO forum_group (id, slug, title, description, closed, created_at)
SELECT i, 'group' || i, 'Group ' || i, '', false, now() FROM generate_series(1, 50) i;

INSERT INTO forum_post (id, author_id, kind, title, url, url_key, body, body_html, created_at,
    deleted_at, version, up, down, score, comment_count, commented_at, views)
SELECT i, CASE WHEN i % 50 = 0 THEN 2 ELSE 1 + i::bigint * 7919 % 100000 END, 'link',
    'The title of post ' || i, 'https://example.org/' || i, 'example.org/' || i, '', '', at,
    CASE WHEN i % 100 = 1 THEN at END, 1, i * 31 % 200, i * 17 % 50,
    extract(epoch FROM at) + 432 * (i * 31 % 200 - i * 17 % 50),
    CASE WHEN i = 50000 THEN 5000 ELSE 3 END,
    CASE WHEN i % 5 > 1 THEN at + i % 90 * interval '1 minute' END, i * 13 % 5000
FROM (
    SELECT i, date_trunc('second', now() - (100000 - i) * interval '6 minutes') AS at
    FROM generate_series(1, 100000) i
) times;

INSERT INTO forum_post_groups (post_id, group_id)
SELECT i, 1 + i % 7 * (i % 8) FROM generate_series(1, 100000) i;
INSERT INTO forum_post_groups (post_id, group_id)
SELECT i, 50 FROM generate_series(2, 100000, 200) i;

INSERT INTO forum_comment (id, post_id, parent_id, author_id, body, body_html, created_at,
    deleted_at, version, up, down)
SELECT i, CASE WHEN i % 60 = 0 THEN 50000 ELSE 1 + i::bigint * 7 % 100000 END,
    CASE WHEN i % 180 IN (60, 120) AND i > 60 THEN i - 60 END,
    CASE WHEN i % 100 = 0 THEN 2 ELSE 1 + i::bigint * 6971 % 100000 END,
    'Remark ' || i, '<p>Remark ' || i || '</p>',
    date_trunc('second', now() - (300000 - i) * interval '2 minutes'),
    CASE WHEN i % 50 = 1 THEN now() END, 1, i % 9, i % 4
FROM generate_series(1, 300000) i;

INSERT INTO forum_archivedvote (user_id, post_id, comment_id, vote, at)
SELECT 1 + (i * 7 + k * 20011) % 100000, i, 0, CASE WHEN k = 3 THEN -1 ELSE 1 END,
    now() - (100000 - i) * interval '6 minutes'
FROM generate_series(1, 100000) i, generate_series(0, 3) k;
INSERT INTO forum_archivedvote (user_id, post_id, comment_id, vote, at)
SELECT 1 + id * 3 % 100000, post_id, id, 1, created_at FROM forum_comment WHERE id % 3 = 0;
INSERT INTO forum_archivedvote (user_id, post_id, comment_id, vote, at)
SELECT 1, i, 0, 1, now() - (100000 - i) * interval '6 minutes'
FROM generate_series(3, 100000, 40) i ON CONFLICT DO NOTHING;

INSERT INTO forum_ledgerentry (generation, shard, entry, user_id, post_id, comment_id, vote, at)
SELECT 'first', i % 16, i || '-0', 1 + i % 100000, 1 + i % 100000, 0, 1, now()
FROM generate_series(1, 200000) i;
INSERT INTO forum_ledgercursor (shard, generation, entry)
SELECT i, 'first', '0-0' FROM generate_series(0, 15) i;

INSERT INTO forum_personfollow (follower_id, person_id, at)
SELECT 1 + i % 100000, 1 + (i + 1 + i / 100000 * 37) % 100000, now() - i * interval '1 second'
FROM generate_series(0, 139999) i;
INSERT INTO forum_personfollow (follower_id, person_id, at)
SELECT 1, 300 + i * 7, now() FROM generate_series(1, 500) i ON CONFLICT DO NOTHING;
INSERT INTO forum_personfollow (follower_id, person_id, at)
SELECT i, 2, now() FROM generate_series(5000, 8000) i ON CONFLICT DO NOTHING;
INSERT INTO forum_groupfollow (follower_id, group_id, at)
SELECT i, 1 + (i * k) % 50, now() FROM generate_series(1, 20000) i, generate_series(1, 3) k
ON CONFLICT DO NOTHING;
INSERT INTO forum_hiddengroup (user_id, group_id, at)
SELECT i, 7, now() FROM generate_series(1, 20000) i;
INSERT INTO forum_block (user_id, blocked_id, at)
SELECT i, 1 + i * 13 % 100000, now() FROM generate_series(1, 20000) i;

INSERT INTO forum_mark (user_id, post_id, kind, at)
SELECT 1 + i % 100000, 1 + i * 3 % 100000, CASE WHEN i % 2 = 0 THEN 'saved' ELSE 'hidden' END,
    now() - i * interval '1 minute'
FROM generate_series(1, 100000) i;
INSERT INTO forum_mark (user_id, post_id, kind, at)
SELECT 1, i, kind, now() - i * interval '1 minute'
FROM generate_series(4, 20000, 20) i, (VALUES ('saved'), ('hidden')) kinds (kind)
ON CONFLICT DO NOTHING;
INSERT INTO forum_watch (user_id, post_id, "on")
SELECT 1 + i * 11 % 100000, i, i % 10 > 0 FROM generate_series(1, 100000) i;

INSERT INTO forum_inboxitem (user_id, kind, actor_id, post_id, comment_id, text, created_at, read_at)
SELECT CASE WHEN i % 60 = 2 THEN 1 ELSE 1 + i % 100000 END,
    CASE WHEN i % 3 = 0 THEN 'watched' WHEN i % 3 = 1 THEN 'mention' ELSE 'reply' END,
    1 + i * 17 % 100000, 1 + i::bigint * 7 % 100000, i, '', now() - (150000 - i) * interval '1 minute',
    CASE WHEN i % 10 > 0 THEN now() - (150000 - i - 30) * interval '1 minute' END
FROM generate_series(1, 150000) i;

INSERT INTO forum_dailyviews (post_id, day, views)
SELECT 1 + (i * 37 + d * 900) % 100000, (now() AT TIME ZONE 'UTC')::date - d, i % 50
FROM generate_series(1, 2000) i, generate_series(0, 99) d;
INSERT INTO forum_boardpoints (day, "group", kind, subject_id, points)
SELECT (now() AT TIME ZONE 'UTC')::date - d, CASE WHEN g > 0 THEN 'group' || g ELSE '' END, kind,
    1 + s * 37, s % 40 - 5
FROM generate_series(0, 59) d, generate_series(0, 19) g, generate_series(1, 100) s,
    (VALUES ('post'), ('person')) kinds (kind);
INSERT INTO forum_activitypiece (day, piece, bits)
SELECT (now() AT TIME ZONE 'UTC')::date - d, 0, decode(repeat('5a', 2500), 'hex')
FROM generate_series(0, 399) d;
INSERT INTO forum_revision (post_id, comment_id, title, body, url, until)
SELECT 1 + i % 100000, CASE WHEN i % 2 = 0 THEN i END, '', 'Before.', '', now()
FROM generate_series(1, 50000) i;

-- Moderator 3 did all actions. Action 1 removed all texts by person 2; half of all actions are
-- parts of action 1.
INSERT INTO forum_sitepolicy (id, names_moderators, reasons, hide_min_days, hide_min_karma,
    hide_author_karma, queue_weight, hide_weight, holds_new_domains, sign_up, question,
    invite_min_days, invite_min_karma, invitations_a_month, sign_ups_a_network,
    sign_ups_a_mail_domain)
VALUES (1, true, '', 3, 5, 5, 0.3, 3, false, 'open', '', 7, 10, 5, 20, 50);
INSERT INTO forum_modaction (id, kind, by_id, group_id, person_id, post_id, parent_id, reason,
    is_private, details, created_at)
SELECT i,
    CASE WHEN i = 1 THEN 'remove_all' WHEN i <= 50000 THEN 'remove' WHEN i % 1000 = 0 THEN 'ban'
        ELSE 'lock' END,
    3, CASE WHEN i > 50000 AND i % 2 = 0 THEN 1 + i % 50 END,
    CASE WHEN i <= 50000 THEN 2 ELSE 1 + i % 100000 END,
    CASE WHEN i > 1 AND i % 1000 > 0 THEN i END, CASE WHEN i BETWEEN 2 AND 50000 THEN 1 END,
    'Spam', false, '{"state": "finished", "done": 49999, "total": 49999}', now()
FROM generate_series(1, 100000) i;
INSERT INTO forum_logplace (action_id, group_id, kind, by_id)
SELECT id, 1 + id % 50, kind, by_id FROM forum_modaction WHERE parent_id IS NULL;

INSERT INTO forum_outboxitem (kind, subject_id, details, in_background, due_at)
SELECT 'post', i, jsonb_build_object('post_id', i, 'comment_id', NULL), false,
    now() - interval '1 hour'
FROM generate_series(1, 20000) i;
INSERT INTO forum_outboxitem (kind, details, in_background, due_at)
SELECT 'unread', jsonb_build_object('user_ids', jsonb_build_array(i)), false,
    now() - interval '1 hour'
FROM generate_series(1, 20000) i;
INSERT INTO forum_outboxitem (kind, details, in_background, due_at)
SELECT 'author', jsonb_build_object('user_ids', jsonb_build_array(i)), true,
    now() - interval '1 hour'
FROM generate_series(1, 20000) i;
INSERT INTO forum_outboxitem (kind, subject_id, details, in_background, due_at, failed_at)
SELECT 'mail', i, jsonb_build_object('mail', 'replies', 'user_id', i, 'comment_id', i), true,
    now() + i * interval '10 seconds', now()
FROM generate_series(1, 20000) i;
INSERT INTO django_session (session_key, session_data, expire_date)
SELECT i || '-' || md5(i::text), '', now() + interval '1 day' FROM generate_series(1, 20000) i;

SELECT setval(pg_get_serial_sequence('forum_user', 'id'), 100000),
    setval(pg_get_serial_sequence('forum_group', 'id'), 50),
    setval(pg_get_serial_sequence('forum_post', 'id'), 100000),
    setval(pg_get_serial_sequence('forum_comment', 'id'), 300000),
    setval(pg_get_serial_sequence('forum_modaction', 'id'), 100000);
SET session_replication_role = DEFAULT;
