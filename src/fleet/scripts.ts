/**
 * What Redis does in one go. A task is one hash: `owner` (a token of its own for each claim) and `until` when its lease
 * lasts, `fence`, `lost` replicas, `effects`; `c:<replica>` for callers elsewhere, until when theirs last; then `response`,
 * `kept` where it is replayed. `dead` says why it is not run again. Moments are Redis's own; what comes and goes is the
 * time that remains, in milliseconds.
 */
const COMMON = `
local key, news = KEYS[1], ARGV[1]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function waiting()
  local fields, count = redis.call('HGETALL', key), 0
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'c:' and tonumber(fields[i + 1]) > now then count = count + 1 end
  end
  return count
end
local function tell() redis.call('PUBLISH', news, key) end
-- Of an owner with a higher fence: it has taken the task over. Of any other: it began while Redis was away or forgot.
local function rival(fence) return tonumber(fence or 0) > tonumber(ARGV[3]) and -1 or -2 end
`

/** `{'run', fence, lost}`, `{'wait', time left}`, `{'reply', response}`, `{'dead', why}` or `{'full'}`. */
const claim = `
local me, token, lease, life = 'c:' .. ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local mayRun, mayTakeOver = ARGV[6] == '1', ARGV[7] == '1'
local f = redis.call('HMGET', key, 'owner', 'until', 'response', 'kept', 'effects', 'lost', 'dead', me)
local owner, left, response, waits = f[1], tonumber(f[2] or 0) - now, f[3], f[8]
if f[7] then return {'dead', f[7]} end
if response and (f[4] or waits) then
  if waits then redis.call('HDEL', key, me) end
  return {'reply', response}
end
if response then
  -- It is for those who waited: to a newcomer the task is not done.
  if mayRun then redis.call('DEL', key) end
  owner = false
end
if not owner and not mayRun then return {'full'} end
local isLost = owner and owner ~= ''
if owner and (not mayRun or left > 0 or (isLost and not mayTakeOver)) then
  redis.call('HSET', key, me, now + lease)
  return {'wait', left > 0 and left or lease}
end
local lost = (owner and tonumber(f[6]) or 0) + (isLost and 1 or 0)
local dead = owner and f[5] and 'effects' or lost > 1 and 'lost'
redis.call('PEXPIRE', key, life)
if dead then
  redis.call('HSET', key, 'dead', dead)
  tell()
  return {'dead', dead}
end
redis.call('HSET', key, 'owner', token, 'until', now + lease, 'lost', lost)
redis.call('HDEL', key, me)
redis.call('PEXPIRE', key, life)
return {'run', redis.call('HINCRBY', key, 'fence', 1), lost}
`

/** How many replicas wait; below 0: the task is a rival's. A task that Redis has forgotten is announced anew. */
const beat = `
local token, lease, life, effects = ARGV[2], tonumber(ARGV[4]), ARGV[5], ARGV[6] == '1'
local f = redis.call('HMGET', key, 'owner', 'fence', 'dead', 'response')
if f[3] or f[4] then return -1 end
if f[1] and f[1] ~= token then return rival(f[2]) end
redis.call('HSET', key, 'owner', token, 'until', now + lease)
if not f[1] then
  redis.call('HSET', key, 'fence', math.max(1, ARGV[3]))
  redis.call('PEXPIRE', key, life)
end
if effects then redis.call('HSET', key, 'effects', 1) end
return waiting()
`

/** 1: the reply stands; below 0: the task is a rival's. Other replies than those to be kept are only for who waits. */
const finish = `
local token, response, isKept, life = ARGV[2], ARGV[4], ARGV[5] == '1', ARGV[6]
local f = redis.call('HMGET', key, 'owner', 'fence', 'dead')
if f[3] then return -1 end
if f[1] and f[1] ~= token then return rival(f[2]) end
local waiters = waiting()
if isKept then redis.call('HSET', key, 'owner', token, 'response', response, 'kept', 1)
elseif waiters > 0 then redis.call('HSET', key, 'response', response)
else redis.call('DEL', key) end
redis.call('PEXPIRE', key, life)
if waiters > 0 then tell() end
return 1
`

/** Gives the task back, unfinished. */
const release = `
if redis.call('HGET', key, 'owner') ~= ARGV[2] then return 0 end
if waiting() == 0 then return redis.call('DEL', key) end
redis.call('HSET', key, 'owner', '', 'until', 0)
tell()
return 1
`

/** A replica's callers wait no more. */
const leave = `
redis.call('HDEL', key, 'c:' .. ARGV[2])
tell()
return 1
`

const withCommon = (lua: string) => ({ lua: COMMON + lua, numberOfKeys: 1 })

export const scripts = {
  claim: withCommon(claim),
  beat: withCommon(beat),
  finish: withCommon(finish),
  release: withCommon(release),
  leave: withCommon(leave),
} as const

export type ScriptName = keyof typeof scripts
