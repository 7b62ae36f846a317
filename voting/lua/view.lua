#!lua
-- Count a view of a post, once for each visitor and UTC day, and rank the post by views. A
-- HyperLogLog estimates the day's views. The script doesn't sum the replies of PFADD instead: with
-- thousands of visitors, many new visitors don't change the HyperLogLog.
-- KEYS: post, visitors of the day, views of the day, generation of the shard, generation of the
--       rankings
-- ARGV: now (s), visitor, post id, member, expiry of the day's keys (s)
-- Returns 1 if the view counted; 0 for a known visitor and for an unknown or retracted post.
-- include prelude
-- include scopes
-- include rank_views
-- include parts
local visitor, id, member, ending = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('EXISTS', KEYS[4], KEYS[5]) < 2 then return redis.error_reply('EMPTY generation') end

local row = redis.call('HGET', KEYS[1], 'row')
if not row then return 0 end
if redis.call('PFADD', KEYS[2], visitor) == 0 then return 0 end
redis.call('EXPIREAT', KEYS[2], ending)
local more = redis.call('PFCOUNT', KEYS[2]) - (redis.call('HGET', KEYS[3], id) or 0)
if more <= 0 then return 0 end
redis.call('HINCRBY', KEYS[3], id, more)
redis.call('EXPIREAT', KEYS[3], ending)
local posted_at, groups = string.match(row, ROW)
rank_views(member, tonumber(posted_at), redis.call('HINCRBY', KEYS[1], 'views', more), groups)
return 1
