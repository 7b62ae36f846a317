#!lua flags=allow-oom
-- Rename the generation of a hash tag, if it exists.
-- KEYS: old key, new key
-- Returns the generation under the new key, or nil.
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end
return redis.call('GET', KEYS[2])
