-- Limit a person's votes of the last day: on one author, down, and down on one author. Needs the
-- locals times (the key of the person's hits), now (ms), hits (see windows.lua), author, wanted, wait
-- and daily: '', or the three limits (0: none). Afterwards, `rule` is the number of the limit that
-- decides how long to wait (0: another one). Hits are named "name:author:vote". They are read only
-- if there are enough of them to reach a limit.
local rule = 0
local on_author, downs, downs_on_author = string.match(daily, '(%d+) (%d+) (%d+)')
if on_author and wanted ~= 0 then
  local most, least = {on_author + 0, 0, 0}, math.huge
  if wanted < 0 then most = {on_author + 0, downs + 0, downs_on_author + 0} end
  for i = 1, 3 do
    if most[i] > 0 then least = math.min(least, most[i]) end
  end
  local votes, found = {}, {0, 0, 0}
  if hits >= least then
    votes = redis.call('ZREVRANGEBYSCORE', times, '+inf', '(' .. now - $DAY_MS, 'WITHSCORES')
  end
  for i = 1, #votes, 2 do
    local whom, vote = string.match(votes[i], ':(%d+):(-?%d)$')
    local same = whom == author and vote ~= '0'
    for number, counts in ipairs({same, vote == '-1', same and vote == '-1'}) do
      found[number] = found[number] + (counts and 1 or 0)
      local left = votes[i + 1] + $DAY_MS - now
      if counts and found[number] == most[number] and left > wait then wait, rule = left, number end
    end
  end
end
