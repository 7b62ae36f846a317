#!lua
-- Add and remove groups of a post, or restore a retracted post.
-- KEYS: post, generation of the shard, generation of the rankings
-- ARGV: now (s), post id, member, groups to add, groups to remove, 1 to restore
-- Returns the post's groups, separated by spaces; nil for an unknown or retracted post.
-- include prelude
-- include scopes
-- include place
-- include parts
local id, member, restore = ARGV[2], ARGV[3], ARGV[6] == '1'
if redis.call('EXISTS', KEYS[2], KEYS[3]) < 2 then return redis.error_reply('EMPTY generation') end

local post = redis.call('HMGET', KEYS[1], 'row', 'gone', 'tally', 'commented_at', 'views', 'author')
if not post[3] or not (post[1] or restore) then return false end
local row = post[1] or post[2]
local posted_at, was, rest = string.match(row, ROW)
local up, down = string.match(post[3], TALLY)
local removed, kept, seen = {}, {}, {}
for name in string.gmatch(ARGV[5], '%S+') do
  removed[name] = true
  leave(name, id, member)
end
for name in string.gmatch(was .. ' ' .. ARGV[4], '%S+') do
  if not removed[name] and not seen[name] then kept[#kept + 1] = name end
  seen[name] = true
end
local groups = table.concat(kept, ' ')
redis.call('HSET', KEYS[1], 'row', posted_at .. '\31' .. groups .. string.sub(row, rest))
redis.call('HDEL', KEYS[1], 'gone')
place(id, member, {posted_at = tonumber(posted_at), points = up - down, groups = groups,
  commented_at = tonumber(post[4] or 0), views = tonumber(post[5] or 0)})
place_author(string.format('$AUTHOR_PATTERN', post[6]), member, tonumber(posted_at))
return groups
