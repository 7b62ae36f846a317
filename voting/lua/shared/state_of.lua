-- The data of a post that rankings need, and the order of its changes. Needs parts.lua.

-- Record a change of a post. The stamp (µs) of the change is later than the previous stamp. Because
-- stamps use the server's clock, the new stamp is also later than stamps lost in a failover. `was`
-- collects the groups that the post has left.
local function note_change(left)
  local post = redis.call('HMGET', KEYS[1], 'stamp', 'was', 'row', 'gone')
  local time, _, groups = redis.call('TIME'), string.match(post[3] or post[4] or '', ROW)
  local stamp = math.max(time[1] * 1000000 + time[2], (tonumber(post[1]) or 0) + 1)
  local was, known = {}, {}
  for name in string.gmatch(groups or '', '%S+') do known[name] = true end
  for name in string.gmatch((post[2] or '') .. ' ' .. table.concat(left, ' '), '%S+') do
    if not known[name] then was[#was + 1] = name end
    known[name] = true
  end
  redis.call('HSET', KEYS[1], 'stamp', string.format('%.0f', stamp), 'was', table.concat(was, ' '))
end

-- Return {stamp, posted_at, points, groups, groups that the post has left, commented_at, views,
-- author, 1 if the post is retracted}, or nil for an unknown post.
local function state_of(key)
  local post = redis.call('HMGET', key, 'stamp', 'row', 'gone', 'tally', 'was', 'commented_at',
    'views', 'author')
  if not post[4] then return false end
  local posted_at, groups = string.match(post[2] or post[3], ROW)
  local up, down, start = string.match(post[4], TALLY)
  local points = up - down + (start == '' and 0 or start)
  return {post[1] or '0', posted_at, points, groups, post[5] or '', post[6] or '0',
    post[7] or '0', post[8], post[2] and '0' or '1'}
end
