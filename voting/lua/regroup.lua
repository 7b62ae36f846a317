#!lua
-- Sets a post's groups by adding and removing some, and brings a retracted one back if told.
-- KEYS: post, generation of the shard, generation of the rankings
-- ARGV: ground (see ground.lua), post id, member, groups to add, groups to remove, restore (1, 0)
-- Returns the post's groups, space-separated; or nil where no such post is open to readers.
-- include ground
-- include scopes
-- include rerank
-- include place
local id, member, restore = ARGV[6], ARGV[7], ARGV[10] == '1'
if redis.call('EXISTS', KEYS[2], KEYS[3]) < 2 then return redis.error_reply('EMPTY generation') end

local post = redis.call('HMGET', KEYS[1], 'posted_at', 'up', 'down', 'groups', 'gone',
  'commented_at', 'views', 'author')
if not post[1] or (post[5] and not restore) then return false end
local removed, kept, seen = {}, {}, {}
for name in string.gmatch(ARGV[9], '%S+') do
  removed[name] = true
  leave(name, id, member)
end
for name in string.gmatch(post[4] .. ' ' .. ARGV[8], '%S+') do
  if not removed[name] and not seen[name] then kept[#kept + 1] = name end
  seen[name] = true
end
local groups = table.concat(kept, ' ')
redis.call('HSET', KEYS[1], 'groups', groups)
redis.call('HDEL', KEYS[1], 'gone')
place(id, member, {posted_at = tonumber(post[1]), points = post[2] - post[3],
  groups = groups, commented_at = tonumber(post[6] or 0), views = tonumber(post[7] or 0)})
place_author(string.format('$AUTHOR_PATTERN', post[8]), member, tonumber(post[1]))
return groups
