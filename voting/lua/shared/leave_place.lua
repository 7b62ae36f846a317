-- After a vote was taken back: stop waiting, or free the place of a new account, for which no
-- waiting vote then counts. A void vote stays void. Needs the locals of apply_vote.lua.
if counts_at and counts_at ~= '0' then
  redis.call('HDEL', KEYS[1] .. '$UNCOUNTED_SUFFIX', person)
  counts_at = nil
elseif not counts_at then
  local NEW = KEYS[1] .. '$NEW_SUFFIX'
  local taken = redis.call('HGETALL', NEW)
  for i = 1, #taken, 2 do
    if string.match(taken[i + 1], '^%d+') == person .. '' then redis.call('HDEL', NEW, taken[i]) end
  end
end
