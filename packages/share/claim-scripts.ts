import { EFFECTS_KEPT_MS } from '@agent-task-service/engine/share'

/** How long a claim lasts without being renewed, in milliseconds. */
export const LEASE_MS = 4_000
/** The same once the connection of its replica is closed, as the kernel does for a process that is killed. */
export const CLOSED_LEASE_MS = 2_000
/** How often claims are renewed and Redis is probed, in milliseconds. */
export const BEAT_MS = 1_000
/** How long a task is kept after its run, and a reply that is not replayed is kept for callers elsewhere, in milliseconds. */
export const MARGIN_MS = 5_000
const DAY_MS = 86_400_000
/** A task that was running when this many replicas were lost is given up. */
const MAX_LOSSES = 2
/** Prefix of the fields of a task that hold its effects. */
export const EFFECT = 'e:'
/** Prefix of the fields that hold records of steps. */
export const STEP = 's:'
/** What follows a task's key in the key of its steps. */
export const STEPS = ':steps'
/** Prefix of all keys. */
export const PREFIX = 'agent-task:'
/** Channel that announces the keys of changed tasks. */
export const CHANNEL = `${PREFIX}news`
/** Prefix of the channel to which each replica subscribes, so that Redis knows whether its connection is open. */
export const ALIVE = `${PREFIX}alive:`

/** Longest reply that is read from Redis, in bytes. */
export const MAX_REPLY_LENGTH = 2 ** 24

/** A claim that was granted. */
export interface Claimed {
  /** Unique to the claim; begins with its replica and a slash. */
  readonly token: string
  readonly fence: number
  /** The run's id. */
  readonly run: string
}

/** A task's effects, as fields and values. */
export type EffectFields = Readonly<Record<`${typeof EFFECT}${string}`, string>>

/** Records of a task's steps, as fields and values. */
export type StepFields = Readonly<Record<`${typeof STEP}${string}`, string>>

/** What each script is given, by name. */
export interface Given {
  readonly claim: {
    readonly replica: string
    readonly token: string
    /** The run's id, if this is the task's first one. */
    readonly run: string
    readonly lifeMs: number
    readonly mayRun: boolean
    readonly mayTakeOver: boolean
    /** The digest of the agent that asks. */
    readonly agent: string
  }
  readonly beat: Claimed &
    EffectFields &
    StepFields & {
      readonly lifeMs: number
      /** Whether losing this owner counts. */
      readonly lossCounts: boolean
      readonly hasEffects: boolean
      /** How many effects there are, given ones and others. */
      readonly effectCount: number
    }
  readonly finish: Claimed &
    EffectFields & {
      /** Absent: there is none. */
      readonly response?: string | undefined
      readonly isKept: boolean
      /** Whether the task's next run must know its effects. */
      readonly goesOn: boolean
      readonly hasEffects: boolean
      readonly lifeMs: number
      readonly agent: string
    }
  readonly leave: { readonly replica: string }
  /** In thousand-millionths of a US dollar, since Redis counts in whole numbers. */
  readonly spend: { readonly amount: number }
}

/** Names and values in turn, as the scripts take them. What is false or absent is left out. */
export function argumentsOf(given: Given[keyof Given]): string[] {
  return Object.entries(given).flatMap(([name, value]) =>
    value === false || value === undefined ? [] : [name, String(value)],
  )
}

/**
 * Redis runs each script atomically. A task is a hash: `owner` (a token unique to each claim, which begins with its replica;
 * empty once released), `until` (end of its lease), `fence`, `run` (the run's id, the same for all who take it over), `lost` (losses
 * that count), `counts` (whether losing this owner counts); `e:<key>` for each call with side effects, and `effects` if there was one; `c:<replica>`
 * for callers at other replicas, with the time until which they count; then `response`, the `agent` that gave it, and `kept` if
 * it is replayed. The hash beside it holds `s:<key>` for each recorded step of a run without a reply; of a task that goes on, the
 * reply for those who wait, since it is kept for less long. `dead` says why the task must not run again. Stored times are by Redis's
 * clock; arguments and results are remaining times, in milliseconds.
 */
const COMMON = `
local key, steps, lease = KEYS[1], KEYS[2], ${LEASE_MS}
local given = {}
for i = 1, #ARGV, 2 do given[ARGV[i]] = ARGV[i + 1] end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function number(text) return tonumber(text) or 0 end
local function stored(...)
  local values, byName = redis.call('HMGET', key, ...), {}
  for i, name in ipairs({...}) do byName[name] = values[i] end
  return byName
end
-- Takes and returns names and values in turn.
local function startingWith(prefix, all)
  local found = {}
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, #prefix) == prefix then
      found[#found + 1] = all[i]
      found[#found + 1] = all[i + 1]
    end
  end
  return found
end
local function storedWith(prefix) return startingWith(prefix, redis.call('HGETALL', key)) end
local givenEffects, givenSteps = startingWith('${EFFECT}', ARGV), startingWith('${STEP}', ARGV)
local function waiting()
  local callers, count = storedWith('c:'), 0
  for i = 2, #callers, 2 do
    if number(callers[i]) > now then count = count + 1 end
  end
  return count
end
local function writeEffects()
  for i = 1, #givenEffects, 2 do
    redis.call('HSET', key, givenEffects[i], givenEffects[i + 1], 'effects', 1)
  end
  if #givenEffects > 0 then redis.call('PEXPIRE', key, ${EFFECTS_KEPT_MS}) end
end
local function dropEffects()
  local effects = storedWith('${EFFECT}')
  for i = 1, #effects, 2 do redis.call('HDEL', key, effects[i]) end
end
local function writeSteps()
  for i = 1, #givenSteps, 2 do redis.call('HSET', steps, givenSteps[i], givenSteps[i + 1]) end
  if #givenSteps > 0 then redis.call('PEXPIRE', steps, given.lifeMs) end
end
local function withAll(answer, more)
  for i = 1, #more do answer[#answer + 1] = more[i] end
  return answer
end
local function withEffects(answer) return withAll(answer, storedWith('${EFFECT}')) end
local function withSteps(answer) return withAll(answer, redis.call('HGETALL', steps)) end
local function announce() redis.call('PUBLISH', '${CHANNEL}', key) end
-- 'ours', and whether Redis knows that. 'taken_over': another replica has it with a higher fence, or it has effects that we do
-- not know. 'rival': another one started it while Redis was unavailable or had lost its data; if only we have had effects, it
-- makes way. Steps of a task that is not known are another run's.
local function standing()
  local task = stored('owner', 'fence', 'dead', 'run', 'effects')
  if task.dead then return 'taken_over' end
  if not task.owner then return 'ours', false end
  if task.owner == given.token then
    return (task.effects and task.run ~= given.run) and 'taken_over' or 'ours', true
  end
  if number(task.fence) > number(given.fence) then return 'taken_over' end
  if given.hasEffects and not task.effects then return 'ours', false end
  return 'rival'
end
`

const script = (lua: string) => ({ lua: COMMON + lua, numberOfKeys: 2 })

export const scripts = {
  /**
   * `{'run', fence, 1 if taken over, run, effects and steps}`, `{'wait', time left}`, `{'reply', response}`,
   * `{'dead', why, effects}` or `{'full'}`. May be repeated with the same token.
   */
  claim: script(`
-- Who does not see its own connection knows of none: behind some proxies, or where PUBSUB is refused.
local function isClosed(replica)
  local open = redis.pcall('PUBSUB', 'NUMSUB', '${ALIVE}' .. given.replica, '${ALIVE}' .. replica)
  return open[2] and open[2] > 0 and open[4] == 0
end
local me, token = 'c:' .. given.replica, given.token
local task = stored('owner', 'until', 'fence', 'run', 'lost', 'counts', 'effects', 'response', 'agent', 'kept', 'dead', me)
-- The clock may have gone back, as after a failover.
local owner, left, fence = task.owner, math.min(number(task['until']) - now, lease), number(task.fence)
if task.dead then return withEffects({'dead', task.dead}) end
if owner == token then return withSteps(withEffects({'run', fence, 0, task.run or given.run})) end
if not task.response then
  local reply = redis.call('HMGET', steps, 'response', 'agent')
  task.response, task.agent = reply[1], reply[2]
end
if task.response then
  redis.call('HDEL', key, me)
  if (task.kept or task[me]) and task.agent == given.agent then return {'reply', task.response} end
  -- The reply is another agent's, or only for those who waited: for this caller the task is not done. If it had effects, its
  -- next run knows them.
  owner, left = (owner == '' or task.effects) and '', 0
  if given.mayRun then
    if owner then redis.call('HDEL', key, 'response', 'kept') else redis.call('DEL', key) end
    redis.call('DEL', steps)
  end
end
if not owner and not given.mayRun then return {'full'} end
local isLost = owner and owner ~= ''
-- Tokens of earlier versions name no replica. After an outage of Redis, its owner may still be about to connect.
local replica = isLost and given.mayTakeOver and string.match(owner, '^(.+)/')
if replica and left > 0 and isClosed(replica) then left = left - ${LEASE_MS - CLOSED_LEASE_MS} end
if owner and (not given.mayRun or left > 0 or (isLost and not given.mayTakeOver)) then
  redis.call('HSET', key, me, now + lease)
  return {'wait', left > 0 and left or lease}
end
local run = owner and task.run or given.run
local lost = (owner and number(task.lost) or 0) + (isLost and task.counts and 1 or 0)
redis.call('HSET', key, 'owner', token, 'until', now + lease, 'fence', fence + 1, 'run', run, 'lost', lost)
redis.call('HDEL', key, me, 'counts')
redis.call('PEXPIRE', key, task.effects and ${EFFECTS_KEPT_MS} or given.lifeMs)
if not owner then redis.call('DEL', steps) end
redis.call('PEXPIRE', steps, given.lifeMs)
if lost < ${MAX_LOSSES} then return withSteps(withEffects({'run', fence + 1, isLost and 1 or 0, run})) end
redis.call('HSET', key, 'dead', 'lost')
redis.call('DEL', steps)
announce()
return withEffects({'dead', 'lost'})
`),

  /**
   * `{'ours', waiting replicas}`; `{'taken_over'}` or `{'rival'}` if another replica has the task. Announces again a task that
   * Redis has forgotten, or answers `{'forgotten'}` if it was given fewer effects than there are.
   */
  beat: script(`
local state, isKnown = standing()
if state ~= 'ours' then return {state} end
if not isKnown and #givenEffects < 2 * number(given.effectCount) then return {'forgotten'} end
redis.call('HSET', key, 'owner', given.token, 'until', now + lease)
if given.lossCounts then redis.call('HSET', key, 'counts', 1) end
if not isKnown then
  redis.call('HSET', key, 'fence', given.fence, 'run', given.run)
  redis.call('HDEL', key, 'response', 'kept')
  redis.call('DEL', steps)
  redis.call('PEXPIRE', key, given.lifeMs)
end
writeEffects()
writeSteps()
return {'ours', waiting()}
`),

  /**
   * `{'ours', waiting replicas}` if done; `{'taken_over'}` or `{'rival'}` if another replica has the task. Without a reply it is
   * released, and its steps stay; a reply that is not kept is only for waiting callers. A task that goes on is released, with
   * its effects, even if it has a reply.
   */
  finish: script(`
local token, fence, run, response = given.token, given.fence, given.run, given.response
local state, isKnown = standing()
if state ~= 'ours' then return {state} end
local waiters = waiting()
if not isKnown then redis.call('DEL', steps) end
if not (given.isKept or given.goesOn or waiters > 0) then
  redis.call('DEL', key, steps)
  return {'ours', 0}
end
dropEffects()
writeEffects()
if given.isKept then
  redis.call('HSET', key, 'owner', token, 'fence', fence, 'run', run, 'kept', 1)
  if given.hasEffects then redis.call('HSET', key, 'effects', 1) end
elseif given.goesOn or not response then
  redis.call('HSET', key, 'owner', '', 'until', 0, 'fence', fence, 'run', run)
end
if response then
  redis.call('DEL', steps)
  redis.call('HDEL', key, 'lost')
  if given.isKept or waiters > 0 then
    local place = given.goesOn and steps or key
    redis.call('HSET', place, 'response', response, 'agent', given.agent)
    redis.call('PEXPIRE', place, ${MARGIN_MS})
  end
end
redis.call('PEXPIRE', key, given.lifeMs)
if waiters > 0 then announce() end
return {'ours', waiters}
`),

  /** A replica's callers no longer wait. */
  leave: script(`
redis.call('HDEL', key, 'c:' .. given.replica)
announce()
`),

  /** `{'spent', amount}`, all of the day whose key it is. */
  spend: script(`
local spent = redis.call('HINCRBY', key, 'spent', given.amount)
redis.call('PEXPIRE', key, ${2 * DAY_MS})
return {'spent', spent}
`),
} as const
