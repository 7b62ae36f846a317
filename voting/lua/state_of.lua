-- What rankings must make of a post, and the order of its changes.

-- A change's stamp (µs) is later than the one before, and also than those that a failover has lost:
-- hence the server's own clock. Remembers the groups that the post was in and is no more.
local function note_change(left)
  local post, time = redis.call('HMGET', KEYS[1], 'stamp', 'was', 'groups'), redis.call('TIME')
  local stamp = math.max(time[1] * 1000000 + time[2], (tonumber(post[1]) or 0) + 1)
  local was, known = {}, {}
  for name in string.gmatch(post[3] or '', '%S+') do known[name] = true end
  for name in string.gmatch((post[2] or '') .. ' ' .. table.concat(left, ' '), '%S+') do
    if not known[name] then was[#was + 1] = name end
    known[name] = true
  end
  redis.call('HSET', KEYS[1], 'stamp', string.format('%.0f', stamp), 'was', table.concat(was, ' '))
end

-- Returns {stamp, posted_at, points, groups, groups it was in, commented_at, views, author,
-- 1 where it is retracted}, or nil where there is no such post.
local function state_of(key)
  local post = redis.call('HMGET', key, 'stamp', 'posted_at', 'up', 'down', 'groups', 'was',
    'commented_at', 'views', 'author', 'gone')
  if not post[2] then return false end
  return {post[1] or '0', post[2], post[3] - post[4], post[5], post[6] or '', post[7] or '0',
    post[8] or '0', post[9], post[10] or '0'}
end
