#!lua flags=allow-oom
-- Make new entries of a ledger get higher ids than an archived entry that the ledger has lost.
-- KEYS: ledger
-- ARGV: id of the entry
-- Returns nothing.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('XADD', KEYS[1], ARGV[1], '', '')
  redis.call('XDEL', KEYS[1], ARGV[1])
  return
end
local done = redis.pcall('XSETID', KEYS[1], ARGV[1], 'MAXDELETEDID', ARGV[1])
if done.err then  -- the ledger has newer entries
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][1]
  redis.call('XSETID', KEYS[1], last, 'MAXDELETEDID', ARGV[1])
end
