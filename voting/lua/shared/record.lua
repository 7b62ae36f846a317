-- Append a change to the ledger (KEYS[3]), and write the tally to the target (KEYS[1]). Needs the
-- locals up, down, start (see parts.lua) and change. `change` is "person post comment vote at"
-- (comment 0: the post itself). `counted` is the numbers of votes as a text.
local counted = string.format('%d %d', up, down) -- `..` takes four times as long with a number
local entry = redis.call('XADD', KEYS[3], '*', 'e', change .. ' ' .. counted)
redis.call('HSET', KEYS[1], 'tally', counted .. start .. ' ' .. entry)
