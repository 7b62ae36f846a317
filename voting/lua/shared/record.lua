-- Append a change to the ledger (KEYS[3]), and write the tally to the target (KEYS[1]). Needs the
-- locals up, down, start (see parts.lua), change and counts_at. `change` is "person post comment
-- vote at" (comment 0: the post itself). `counts_at` ends the entry of a vote that doesn't count
-- (see apply_vote.lua). `counted` is the numbers of votes as a text.
local counted = string.format('%d %d', up, down) -- `..` takes four times as long with a number
local entry = change .. ' ' .. counted
if counts_at then entry = entry .. ' ' .. counts_at end
entry = redis.call('XADD', KEYS[3], '*', 'e', entry)
redis.call('HSET', KEYS[1], 'tally', counted .. start .. ' ' .. entry)
