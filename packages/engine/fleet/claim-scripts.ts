/** How long a claim lasts without being renewed, in milliseconds. */
export const LEASE_MS = 4_000
/** How often claims are renewed and Redis is probed, in milliseconds. */
export const BEAT_MS = 1_000
/** How long a task is kept after its run, and a reply that is not replayed is kept for callers elsewhere, in milliseconds. */
export const MARGIN_MS = 5_000
/** A task that was running when this many replicas were lost is given up. */
const MAX_LOSSES = 2
/** Prefix of all keys. */
export const PREFIX = 'agent-task:'
/** Channel that announces the keys of changed tasks. */
export const CHANNEL = `${PREFIX}news`

/** Longest reply that is read from Redis, in bytes. */
export const MAX_REPLY_LENGTH = 2 ** 24

/**
 * Redis runs each script atomically. A task is a hash: `owner` (a token unique to each claim; empty once released), `until`
 * (end of its lease), `fence`, `lost` (losses that count), `counts` (whether losing this owner counts) and `effects`;
 * `c:<replica>` for callers at other replicas, with the time until which they count; then `response`, and `kept` if it is
 * replayed. `dead` says why the task must not run again. Stored times are by Redis's clock; arguments and results are
 * remaining times, in milliseconds.
 */
const COMMON = `
local key, lease = KEYS[1], ${LEASE_MS}
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function number(text) return tonumber(text) or 0 end
local function waiting()
  local fields, count = redis.call('HGETALL', key), 0
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'c:' and number(fields[i + 1]) > now then count = count + 1 end
  end
  return count
end
local function announce() redis.call('PUBLISH', '${CHANNEL}', key) end
-- 0: the task is ours. -1: another replica took it over with a higher fence. -2: another one started it while Redis was
-- unavailable or had lost its data.
local function standing(token, fence)
  local f = redis.call('HMGET', key, 'owner', 'fence', 'dead')
  if f[3] then return -1 end
  if not f[1] or f[1] == token then return 0, f[1] end
  return number(f[2]) > tonumber(fence) and -1 or -2
end
`

const script = (lua: string) => ({ lua: COMMON + lua, numberOfKeys: 1 })

export const scripts = {
  /**
   * `{'run', fence, 1 if taken over}`, `{'wait', time left}`, `{'reply', response}`, `{'dead', why}` or `{'full'}`. May be
   * repeated with the same token.
   */
  claim: script(`
local me, token, life, mayRun, mayTakeOver = 'c:' .. ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', ARGV[5] == '1'
local f = redis.call('HMGET', key, 'owner', 'until', 'fence', 'lost', 'counts', 'effects', 'response', 'kept', 'dead', me)
-- The clock may have gone back, as after a failover.
local owner, left, fence = f[1], math.min(number(f[2]) - now, lease), number(f[3])
local response, waits = f[7], f[10]
if f[9] then return {'dead', f[9]} end
if owner == token then return {'run', fence, 0} end
if response then
  redis.call('HDEL', key, me)
  if f[8] or waits then return {'reply', response} end
  -- The reply is only for those who waited: for a new caller the task is not done.
  if mayRun then redis.call('DEL', key) end
  owner = false
end
if not owner and not mayRun then return {'full'} end
local isLost = owner and owner ~= ''
if owner and (not mayRun or left > 0 or (isLost and not mayTakeOver)) then
  redis.call('HSET', key, me, now + lease)
  return {'wait', left > 0 and left or lease}
end
local lost = (owner and number(f[4]) or 0) + (isLost and f[5] and 1 or 0)
local dead = owner and f[6] and 'effects' or lost >= ${MAX_LOSSES} and 'lost'
redis.call('HSET', key, 'owner', token, 'until', now + lease, 'fence', fence + 1, 'lost', lost)
redis.call('HDEL', key, me, 'counts')
redis.call('PEXPIRE', key, life)
if not dead then return {'run', fence + 1, isLost and 1 or 0} end
redis.call('HSET', key, 'dead', dead)
announce()
return {'dead', dead}
`),

  /** The number of waiting replicas; below 0: another replica has the task. Announces again a task that Redis has forgotten. */
  beat: script(`
local token, fence, life, effects, counts = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', ARGV[5] == '1'
local stands, owner = standing(token, fence)
if stands < 0 then return stands end
redis.call('HSET', key, 'owner', token, 'until', now + lease)
if effects then redis.call('HSET', key, 'effects', 1) end
if counts then redis.call('HSET', key, 'counts', 1) end
if not owner then
  redis.call('HSET', key, 'fence', fence)
  redis.call('PEXPIRE', key, life)
end
return waiting()
`),

  /** 0: done; below 0: another replica has the task. An empty reply releases it; one that is not kept is only for waiting callers. */
  finish: script(`
local token, fence, response, isKept, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', ARGV[5]
local stands, waiters = standing(token, fence), waiting()
if stands < 0 then return stands end
if isKept then redis.call('HSET', key, 'owner', token, 'response', response, 'kept', 1)
elseif waiters == 0 then redis.call('DEL', key)
elseif response == '' then redis.call('HSET', key, 'owner', '', 'until', 0)
else redis.call('HSET', key, 'response', response) end
redis.call('PEXPIRE', key, life)
if waiters > 0 then announce() end
return 0
`),

  /** A replica's callers no longer wait. */
  leave: script(`
redis.call('HDEL', key, 'c:' .. ARGV[1])
announce()
`),
} as const
