#!lua
-- Puts a whole post back as an archive remembers it; its voters are there already.
-- KEYS: post, voters, swept
-- ARGV: ground (see ground.lua), post id, member, author, posted_at, version, card, groups,
--       up, down
-- Returns 1, or 0 where the post is known already.
-- include ground
-- include place
local id, member, author, posted_at = ARGV[10], ARGV[11], ARGV[12], tonumber(ARGV[13])
local groups, up, down = ARGV[16], tonumber(ARGV[17]), tonumber(ARGV[18])
if redis.call('HEXISTS', KEYS[1], 'posted_at') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'posted_at', posted_at, 'author', author, 'version', ARGV[14],
  'card', ARGV[15], 'groups', groups, 'up', up, 'down', down, 'n', up + down, 'last', '0-0')
redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + GRACE)
place(KEYS[3], id, member, posted_at, up - down, groups)
return 1
