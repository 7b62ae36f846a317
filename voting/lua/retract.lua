#!lua
-- Remove a post from every listing and close it to votes. The post's tally and voter set stay, its
-- card doesn't.
-- KEYS: post, generation of the shard, generation of the rankings
-- ARGV: now (s), post id, member, version (0: any)
-- Returns 1, or 0 if a newer version is known.
-- include prelude
-- include scopes
-- include place
-- include parts
-- include texts
local id, member, version = ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('EXISTS', KEYS[2], KEYS[3]) < 2 then return redis.error_reply('EMPTY generation') end

local known = redis.call('HMGET', KEYS[1], 'version', 'row', 'gone', 'author')
local latest = tonumber(known[1]) or 0
if version ~= 0 and version < latest then return 0 end
local row = known[2] or known[3] or ''
local posted_at, groups = string.match(row, ROW)
if posted_at then row = row_text(posted_at, groups, string.match(row, COMMENTS), '') end
redis.call('HSET', KEYS[1], 'gone', row, 'version', math.max(version, latest))
redis.call('HDEL', KEYS[1], 'row')
for _, scope in ipairs(scopes(groups or '')) do leave(scope, id, member) end
if known[4] then leave_author(string.format('$AUTHOR_PATTERN', known[4]), member) end
return 1
