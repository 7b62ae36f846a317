-- Appends to `reply` what a listing shows of a post; leaves retracted ones out.
-- Needs the locals VIEWER (0: nobody), POST (pattern), VOTERS (what follows it) and SHARDS.
local function append_row(reply, id)
  local key = string.format(POST, id % SHARDS, id)
  local post = redis.call('HMGET', key, 'posted_at', 'up', 'down', 'groups', 'card', 'gone')
  if not post[1] or post[6] then return end
  local vote = 0
  if VIEWER > 0 then
    local voted = redis.call('SMISMEMBER', key .. VOTERS, VIEWER, -VIEWER)
    vote = voted[1] - voted[2]
  end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = id, post[1], post[2], post[3]
  reply[n + 5], reply[n + 6], reply[n + 7] = post[4], post[5], vote
end
