import { EFFECTS_KEPT_MS } from '../effects/effect.ts'

/** How long a claim lasts without being renewed, in milliseconds. */
export const LEASE_MS = 4_000
/** How often claims are renewed and Redis is probed, in milliseconds. */
export const BEAT_MS = 1_000
/** How long a task is kept after its run, and a reply that is not replayed is kept for callers elsewhere, in milliseconds. */
export const MARGIN_MS = 5_000
/** A task that was running when this many replicas were lost is given up. */
const MAX_LOSSES = 2
/** What `beat` answers if Redis has forgotten the task and all its effects are needed. */
export const FORGOTTEN = -3
/** Prefix of the fields of a task that hold its effects. */
export const EFFECT = 'e:'
/** Prefix of all keys. */
export const PREFIX = 'agent-task:'
/** Channel that announces the keys of changed tasks. */
export const CHANNEL = `${PREFIX}news`

/** Longest reply that is read from Redis, in bytes. */
export const MAX_REPLY_LENGTH = 2 ** 24

/**
 * Redis runs each script atomically. A task is a hash: `owner` (a token unique to each claim; empty once released), `until`
 * (end of its lease), `fence`, `run` (the run's id, the same for all who take it over), `lost` (losses that count), `counts`
 * (whether losing this owner counts); `e:<key>` for each call with side effects, and `effects` if there was one; `c:<replica>`
 * for callers at other replicas, with the time until which they count; then `response`, the `agent` that gave it, and `kept` if
 * it is replayed. `dead` says why the task must not run again. Stored times are by Redis's clock; arguments and results are
 * remaining times, in milliseconds. Effects are passed as fields and values, after all other arguments.
 */
const COMMON = `
local key, lease = KEYS[1], ${LEASE_MS}
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function number(text) return tonumber(text) or 0 end
local function fields(prefix)
  local all, found = redis.call('HGETALL', key), {}
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == prefix then
      found[#found + 1] = all[i]
      found[#found + 1] = all[i + 1]
    end
  end
  return found
end
local function waiting()
  local callers, count = fields('c:'), 0
  for i = 2, #callers, 2 do
    if number(callers[i]) > now then count = count + 1 end
  end
  return count
end
local function writeEffects(from)
  for i = from, #ARGV, 2 do redis.call('HSET', key, ARGV[i], ARGV[i + 1], 'effects', 1) end
  if from < #ARGV then redis.call('PEXPIRE', key, ${EFFECTS_KEPT_MS}) end
end
local function dropEffects()
  local effects = fields('${EFFECT}')
  for i = 1, #effects, 2 do redis.call('HDEL', key, effects[i]) end
end
local function withEffects(answer)
  local effects = fields('${EFFECT}')
  for i = 1, #effects do answer[#answer + 1] = effects[i] end
  return answer
end
local function announce() redis.call('PUBLISH', '${CHANNEL}', key) end
-- 0: the task is ours, and whether Redis knows that. -1: another replica took it over with a higher fence, or it has effects
-- that we do not know. -2: another one started it while Redis was unavailable or had lost its data; if only we have had effects,
-- it makes way.
local function standing(token, fence, run, hasEffects)
  local f = redis.call('HMGET', key, 'owner', 'fence', 'dead', 'run', 'effects')
  if f[3] then return -1 end
  if not f[1] then return 0, false end
  if f[1] == token then return (f[5] and f[4] ~= run) and -1 or 0, true end
  if number(f[2]) > tonumber(fence) then return -1 end
  if hasEffects and not f[5] then return 0, false end
  return -2
end
`

const script = (lua: string) => ({ lua: COMMON + lua, numberOfKeys: 1 })

export const scripts = {
  /**
   * `{'run', fence, 1 if taken over, run, effects}`, `{'wait', time left}`, `{'reply', response}`, `{'dead', why, effects}` or
   * `{'full'}`. May be repeated with the same token.
   */
  claim: script(`
local me, token, run, life = 'c:' .. ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local mayRun, mayTakeOver, agent = ARGV[5] == '1', ARGV[6] == '1', ARGV[7]
local f = redis.call('HMGET', key, 'owner', 'until', 'fence', 'lost', 'counts', 'run', 'response', 'kept', 'dead', 'effects', me, 'agent')
-- The clock may have gone back, as after a failover.
local owner, left, fence = f[1], math.min(number(f[2]) - now, lease), number(f[3])
local response, waits = f[7], f[11]
if f[9] then return withEffects({'dead', f[9]}) end
if owner == token then return withEffects({'run', fence, 0, f[6] or run}) end
if response then
  redis.call('HDEL', key, me)
  if (f[8] or waits) and f[12] == agent then return {'reply', response} end
  -- The reply is another agent's, or only for those who waited: for this caller the task is not done. If it had effects, its
  -- next run knows them.
  owner, left = (owner == '' or f[10]) and '', 0
  if mayRun then
    if owner then redis.call('HDEL', key, 'response', 'kept') else redis.call('DEL', key) end
  end
end
if not owner and not mayRun then return {'full'} end
local isLost = owner and owner ~= ''
if owner and (not mayRun or left > 0 or (isLost and not mayTakeOver)) then
  redis.call('HSET', key, me, now + lease)
  return {'wait', left > 0 and left or lease}
end
run = owner and f[6] or run
local lost = (owner and number(f[4]) or 0) + (isLost and f[5] and 1 or 0)
redis.call('HSET', key, 'owner', token, 'until', now + lease, 'fence', fence + 1, 'run', run, 'lost', lost)
redis.call('HDEL', key, me, 'counts')
redis.call('PEXPIRE', key, f[10] and ${EFFECTS_KEPT_MS} or life)
if lost < ${MAX_LOSSES} then return withEffects({'run', fence + 1, isLost and 1 or 0, run}) end
redis.call('HSET', key, 'dead', 'lost')
announce()
return withEffects({'dead', 'lost'})
`),

  /**
   * The number of waiting replicas; below 0: another replica has the task. Announces again a task that Redis has forgotten, or
   * answers -3 if it was given fewer effects than there are.
   */
  beat: script(`
local token, fence, run, life, counts = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1'
local stands, isKnown = standing(token, fence, run, ARGV[6] == '1')
if stands < 0 then return stands end
if not isKnown and #ARGV < 7 + 2 * ARGV[7] then return ${FORGOTTEN} end
redis.call('HSET', key, 'owner', token, 'until', now + lease)
if counts then redis.call('HSET', key, 'counts', 1) end
if not isKnown then
  redis.call('HSET', key, 'fence', fence, 'run', run)
  redis.call('HDEL', key, 'response', 'kept')
  redis.call('PEXPIRE', key, life)
end
writeEffects(8)
return waiting()
`),

  /**
   * 0: done; below 0: another replica has the task. An empty reply releases it; one that is not kept is only for waiting
   * callers. A task that goes on is released, with its effects, even if it has a reply.
   */
  finish: script(`
local token, fence, run, response, isKept, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1', ARGV[6]
local goesOn, hasEffects, agent = ARGV[7] == '1', ARGV[8] == '1', ARGV[9]
local stands, waiters = standing(token, fence, run, hasEffects), waiting()
if stands < 0 then return stands end
if not (isKept or goesOn or waiters > 0) then
  redis.call('DEL', key)
  return 0
end
dropEffects()
writeEffects(10)
if isKept then
  redis.call('HSET', key, 'owner', token, 'fence', fence, 'run', run, 'kept', 1)
  if hasEffects then redis.call('HSET', key, 'effects', 1) end
elseif goesOn or response == '' then
  redis.call('HSET', key, 'owner', '', 'until', 0, 'fence', fence, 'run', run)
end
if response ~= '' then
  redis.call('HDEL', key, 'lost')
  if isKept or waiters > 0 then redis.call('HSET', key, 'response', response, 'agent', agent) end
end
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
