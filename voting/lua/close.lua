#!lua flags=allow-oom
-- Takes the generation of the rankings away and remembers it.
-- KEYS: generation of the rankings, ended
-- Returns what is remembered; or nil where there never was a generation.
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end
return redis.call('GET', KEYS[2])
