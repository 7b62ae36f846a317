#!lua
-- Brings one person's vote on a post to a wanted state, with tallies, rankings and ledger.
-- KEYS: post, voters, ledger, generation of the shard, generation of the rankings
-- ARGV: ground (see ground.lua), person, wanted (1, 0, -1), post id, member
-- Returns {outcome, vote, up, down, posted_at}; outcome: 1 changed, 0 unchanged, -1 closed;
--         or {-2} where no such post is open to readers.
-- include ground
local person, wanted, id, member = tonumber(ARGV[10]), tonumber(ARGV[11]), ARGV[12], ARGV[13]
if redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then return redis.error_reply('EMPTY generation') end

local post = redis.call('HMGET', KEYS[1], 'posted_at', 'up', 'down', 'n', 'groups', 'gone')
if not post[1] or post[6] then return {-2} end
local posted_at, up, down = tonumber(post[1]), tonumber(post[2]), tonumber(post[3])

local voted = redis.call('SMISMEMBER', KEYS[2], person, -person)
local current = voted[1] - voted[2]
if NOW >= posted_at + WINDOW then return {-1, current, up, down, posted_at} end
if current == wanted then return {0, current, up, down, posted_at} end

local first = up + down == 0
-- Added before removed: a set that was empty for a moment would have lost its time to live.
if wanted ~= 0 then redis.call('SADD', KEYS[2], wanted * person) end
if current ~= 0 then redis.call('SREM', KEYS[2], current * person) end
if first then redis.call('EXPIREAT', KEYS[2], posted_at + WINDOW + GRACE) end
if current == 1 then up = up - 1 elseif current == -1 then down = down - 1 end
if wanted == 1 then up = up + 1 elseif wanted == -1 then down = down + 1 end

local entry = redis.call('XADD', KEYS[3], '*',
  'u', person, 'p', id, 'v', wanted, 't', NOW, 'up', up, 'down', down)
redis.call('HSET', KEYS[1], 'up', up, 'down', down, 'n', post[4] + 1, 'last', entry)
rerank(member, posted_at, up - down, post[5])
return {1, wanted, up, down, posted_at}
