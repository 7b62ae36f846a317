#!lua
-- Puts a whole post with its voters back, as an archive remembers it.
-- KEYS: post, voters, generation of the shard, generation of the rankings, swept
-- ARGV: ground (see ground.lua), post id, member, author, posted_at, version, card, groups,
--       up, down, 1 where a rebuild fills the closed store, voters (+id up, -id down)
-- Returns 1, or 0 where the post is known already.
-- include ground
-- include place
local id, member, author, posted_at = ARGV[10], ARGV[11], ARGV[12], tonumber(ARGV[13])
local groups, up, down, filling = ARGV[16], tonumber(ARGV[17]), tonumber(ARGV[18]), ARGV[19] == '1'
local VOTERS_FROM, AT_ONCE = 20, 5000
if not filling and redis.call('EXISTS', KEYS[3], KEYS[4]) < 2 then
  return redis.error_reply('EMPTY generation')
end

if redis.call('HEXISTS', KEYS[1], 'posted_at') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'posted_at', posted_at, 'author', author, 'version', ARGV[14],
  'card', ARGV[15], 'groups', groups, 'up', up, 'down', down, 'n', up + down, 'last', '0-0')
for from = VOTERS_FROM, #ARGV, AT_ONCE do
  redis.call('SADD', KEYS[2], unpack(ARGV, from, math.min(from + AT_ONCE - 1, #ARGV)))
end
redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + GRACE)
place(KEYS[5], id, member, posted_at, up - down, groups)
return 1
