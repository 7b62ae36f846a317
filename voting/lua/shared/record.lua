-- Writes an accepted change into the ledger, and the tallies after it into its target; returns them
-- as a text. `change` is "person post comment vote at" (comment 0: the post itself).
local function record(target, ledger, change, up, down)
  local counted = string.format('%d %d', up, down) -- a number takes `..` four times as long
  local entry = redis.call('XADD', ledger, '*', 'e', change .. ' ' .. counted)
  redis.call('HSET', target, 'tally', counted .. ' ' .. entry)
  return counted
end
