#!lua
-- Puts a whole post back as an archive remembers it, with the voters that were put aside for it.
-- KEYS: post, voters, voters put aside, generation of the shard, generation of the rankings, swept
-- ARGV: ground (see ground.lua), post id, member, author, posted_at, version, card, groups,
--       up, down, 1 where a rebuild fills the closed store
-- Returns 1, or 0 where the post is known already.
-- include ground
-- include place
local id, member, author, posted_at = ARGV[10], ARGV[11], ARGV[12], tonumber(ARGV[13])
local groups, up, down, filling = ARGV[16], tonumber(ARGV[17]), tonumber(ARGV[18]), ARGV[19] == '1'
if not filling and redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then
  redis.call('UNLINK', KEYS[3])
  return redis.error_reply('EMPTY generation')
end

if redis.call('HEXISTS', KEYS[1], 'posted_at') == 1 then
  redis.call('UNLINK', KEYS[3])
  return 0
end
redis.call('HSET', KEYS[1], 'posted_at', posted_at, 'author', author, 'version', ARGV[14],
  'card', ARGV[15], 'groups', groups, 'up', up, 'down', down, 'n', up + down, 'last', '0-0')
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('RENAME', KEYS[3], KEYS[2])
  redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + GRACE)
end
place(KEYS[6], id, member, posted_at, up - down, groups)
return 1
