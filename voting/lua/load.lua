#!lua
-- Puts a whole post back as an archive remembers it, with the voters that were put aside for it.
-- KEYS: post, voters, voters put aside, generation of the shard, generation of the rankings, swept,
--       posts of the author
-- ARGV: ground (see ground.lua), post id, member, author, posted_at, version, card, groups,
--       comments, time of the last one (s; 0: none), up, down, views,
--       1 where a rebuild fills the closed store,
--       to replace a known post: the ledger id of its last change, which the archive has; else ''
-- Returns 1, or 0 where the post is known and stays: nobody wants it replaced, or it changed since.
-- include ground
-- include rerank
-- include place
local id, member, author, posted_at = ARGV[10], ARGV[11], ARGV[12], tonumber(ARGV[13])
local groups, comments, commented_at = ARGV[16], ARGV[17], tonumber(ARGV[18])
local up, down, views = tonumber(ARGV[19]), tonumber(ARGV[20]), tonumber(ARGV[21])
local filling = ARGV[22] == '1'
if not filling and redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then
  redis.call('UNLINK', KEYS[3])
  return redis.error_reply('EMPTY generation')
end

local known = redis.call('HMGET', KEYS[1], 'posted_at', 'last', 'version', 'groups', 'n', 'views')
local changes, last = up + down, '0-0'
if known[1] then
  if known[2] ~= ARGV[23] or tonumber(known[3]) > tonumber(ARGV[14]) then
    redis.call('UNLINK', KEYS[3])
    return 0
  end
  changes, last, views = known[5] + 1, known[2], math.max(views, tonumber(known[6] or 0))
  for _, scope in ipairs(scopes(known[4])) do leave(scope, id, member) end
  redis.call('UNLINK', KEYS[2])
  redis.call('HDEL', KEYS[1], 'gone')
end
redis.call('HSET', KEYS[1], 'posted_at', posted_at, 'author', author, 'version', ARGV[14],
  'card', ARGV[15], 'groups', groups, 'up', up, 'down', down, 'n', changes, 'last', last,
  'comments', comments, 'commented_at', commented_at, 'views', views)
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('RENAME', KEYS[3], KEYS[2])
  redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + GRACE)
end
place(KEYS[6], id, member, {posted_at = posted_at, points = up - down, groups = groups,
  commented_at = commented_at, views = views})
place_author(KEYS[7], member, posted_at)
return 1
