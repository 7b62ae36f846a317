#!lua flags=allow-oom
-- Gives the mark of a hash tag another name, where it has the first.
-- KEYS: name that it has, name that it gets
-- Returns what stands under the second name then; or nil where there is nothing.
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end
return redis.call('GET', KEYS[2])
