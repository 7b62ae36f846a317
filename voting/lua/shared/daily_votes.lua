-- Limit a person's votes of the last day: on one author, down, and down on one author. Needs the
-- locals times (the key of the person's hits), now (ms), hits (see windows.lua), author, wait and
-- daily: '', or the least of the vote's limits, and its three limits (0: none). Afterwards, `rule`
-- is the number of the limit that decides how long to wait (0: another one). Hits are named
-- "name:author:vote". They are read only if there are enough of them to reach a limit.
local rule, least = 0, string.match(daily, '^%d+')
if least and hits >= least + 0 then
  local on_author, downs, downs_on_author = string.match(daily, ' (%d+) (%d+) (%d+)')
  local most, counted = {on_author + 0, downs + 0, downs_on_author + 0}, {0, 0, 0}
  local votes = redis.call('ZREVRANGEBYSCORE', times, '+inf', '(' .. now - $DAY_MS, 'WITHSCORES')
  for i = 1, #votes, 2 do
    local whom, vote = string.match(votes[i], ':(%d+):(-?%d)$')
    local same = whom == author and vote ~= '0'
    local left = votes[i + 1] + $DAY_MS - now
    for number, counts in ipairs({same, vote == '-1', same and vote == '-1'}) do
      counted[number] = counted[number] + (counts and 1 or 0)
      if counts and counted[number] == most[number] and left > wait then wait, rule = left, number end
    end
  end
end
