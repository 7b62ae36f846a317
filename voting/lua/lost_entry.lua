#!lua flags=no-writes
-- Check whether a ledger has lost an archived entry, because it is from an older snapshot or
-- replica. The entry is not lost if the ledger still has it, or if `Ledger.trim` deleted it.
-- KEYS: ledger
-- ARGV: id of the entry
-- Returns 1 if the entry is lost, else 0.
if redis.call('EXISTS', KEYS[1]) == 0 then return 1 end
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 1 then return 0 end

local function order(id)
  local milliseconds, sequence = string.match(id, '(%d+)-(%d+)')
  return tonumber(milliseconds), tonumber(sequence)
end

local told, dropped = redis.call('XINFO', 'STREAM', KEYS[1]), '0-0'
for i = 1, #told, 2 do
  if told[i] == 'max-deleted-entry-id' then dropped = told[i + 1] end
end
local at, n = order(ARGV[1])
local dropped_at, dropped_n = order(dropped)
return (dropped_at > at or (dropped_at == at and dropped_n >= n)) and 0 or 1
