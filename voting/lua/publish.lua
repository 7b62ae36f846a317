#!lua
-- Makes a post what the caller says it is now; opens voting the first time.
-- KEYS: post, voters, ledger, generation of the shard, generation of the rankings,
--       posts of the author
-- ARGV: ground (see ground.lua), post id, member, author, posted_at, version, card, groups,
--       comments, time of the last one (s; 0: none)
-- Returns 1, or 0 where a later version is known already.
-- include ground
-- include scopes
-- include rerank
-- include place
local id, member, author, posted_at = ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9])
local version, groups, commented_at = tonumber(ARGV[10]), ARGV[12], tonumber(ARGV[14])
if redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then return redis.error_reply('EMPTY generation') end

local known = redis.call('HMGET', KEYS[1], 'version', 'posted_at', 'up', 'down', 'groups', 'views')
if known[1] and tonumber(known[1]) > version then return 0 end
redis.call('HSET', KEYS[1], 'version', version, 'card', ARGV[11], 'groups', groups,
  'comments', ARGV[13], 'commented_at', commented_at)
redis.call('HDEL', KEYS[1], 'gone')

local up, down = tonumber(known[3]), tonumber(known[4])
if not known[2] then
  up, down = 1, 0
  redis.call('SADD', KEYS[2], author)
  redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + $VOTERS_GRACE)
  local entry = redis.call('XADD', KEYS[3], '*',
    'u', author, 'p', id, 'v', 1, 't', NOW, 'up', 1, 'down', 0)
  redis.call('HSET', KEYS[1], 'posted_at', posted_at, 'author', author, 'up', 1, 'down', 0,
    'last', entry)
else
  posted_at = tonumber(known[2])
  local kept = ' ' .. groups .. ' '
  for name in string.gmatch(known[5], '%S+') do
    if not string.find(kept, ' ' .. name .. ' ', 1, true) then leave(name, id, member) end
  end
end
place(id, member, {posted_at = posted_at, points = up - down, groups = groups,
  commented_at = commented_at, views = tonumber(known[6] or 0)})
place_author(KEYS[6], member, posted_at)
return 1
