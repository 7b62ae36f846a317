-- Steps that write an accepted change into the ledger (KEYS[3]), and the tallies after it into its
-- target (KEYS[1]). They need the locals up, down and change: "person post comment vote at"
-- (comment 0: the post itself). `counted` is the tallies as a text.
local counted = string.format('%d %d', up, down) -- a number takes `..` four times as long
local entry = redis.call('XADD', KEYS[3], '*', 'e', change .. ' ' .. counted)
redis.call('HSET', KEYS[1], 'tally', counted .. ' ' .. entry)
