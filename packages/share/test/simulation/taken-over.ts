import type { BaseMessage, ToolMessage } from '@langchain/core/messages'
import { type ModelCall, plainConversation, type RunRecord, type ToolCall } from './run-records.ts'
import type { Loss } from './step-records.ts'
import type { World } from './world.ts'

/** What a run was given of the steps before it. */
interface Given {
  readonly replies: readonly ModelCall[]
  readonly results: readonly ToolCall[]
}

/** Why a model was asked again for what a run of the task had asked it before. */
export const repeats = {
  inFlight: 'in flight at the loss',
  unrecorded: 'Redis never had the record',
  lost: 'Redis lost the record',
  other: 'what came before was not the same any more',
} as const

export type Repeat = keyof typeof repeats

/** What runs did not do again, and what they did. */
export interface Summary {
  /** Runs that were given records. */
  takenOver: number
  replayedReplies: number
  replayedResults: number
  readonly repeated: Record<Repeat, number>
}

export function emptySummary(): Summary {
  const repeated = Object.fromEntries(Object.keys(repeats).map(name => [name, 0])) as Summary['repeated']
  return { takenOver: 0, replayedReplies: 0, replayedResults: 0, repeated }
}

/** A record may not be stored yet this long after its step has ended, in milliseconds. */
const STORED_MS = 20
const NOTHING: Given = { replies: [], results: [] }

export function* recordedCallsAreNotMadeAgain(world: World): Generator<string> {
  for (const run of world.runs) {
    const { replies, results } = givenTo(run, world)
    for (const call of run.modelCalls) {
      const known = replies.find(reply => reply.conversation === call.conversation)
      if (known) yield `run ${run.nth} asks for a reply again that Redis had: ${known.nth}`
    }
    for (const call of run.toolCalls)
      if (results.some(({ id }) => id === call.id))
        yield `run ${run.nth} calls ${call.name} again, whose result Redis had: ${call.id}`
  }
}

export function* recordedStepsAreInTheConversation(world: World): Generator<string> {
  for (const run of world.runs) {
    const { replies, results } = givenTo(run, world)
    for (const { text, type, ...message } of run.conversation ?? []) {
      const id = (message as Partial<ToolMessage>).tool_call_id
      const result = type === 'tool' && results.find(result => result.id === id)
      if (result && text !== `result ${result.nth}`)
        yield `run ${run.nth} has another result than Redis had: ${text}, not ${result.nth}`
    }
    for (const { text } of repliesIn(run)) {
      const reply = world.records.replyIn(text)!
      const known = replies.find(known => known.conversation === reply.conversation)
      if (known && known !== reply)
        yield `run ${run.nth} has another reply than Redis had: ${text}, not ${known.text}`
    }
  }
}

export function* whatIsNotTheirOwnWasGivenToThem(world: World): Generator<string> {
  for (const run of world.runs) {
    const { replies } = givenTo(run, world)
    for (const message of repliesIn(run)) {
      const reply = world.records.replyIn(message.text)!
      if (reply.run === run) continue
      if (!replies.includes(reply))
        yield `run ${run.nth} has a reply that was not given to it: ${message.text}`
      const before = run.conversation!.slice(0, run.conversation!.indexOf(message))
      if (plainConversation(before) !== reply.conversation)
        yield `run ${run.nth} has a reply to another conversation: ${message.text}`
      if (plainConversation([message]) !== reply.message)
        yield `run ${run.nth} has a reply in other words: ${plainConversation([message])}, not ${reply.message}`
    }
  }
}

export function* noEffectIsHadTwiceOrLost(world: World): Generator<string> {
  if (world.schedule.faults.some(({ kind }) => kind === 'flush')) return
  for (const [id, runs] of Map.groupBy(world.runs, run => run.id)) {
    const acts = runs.flatMap(({ toolCalls }) => toolCalls).filter(({ name }) => name === 'act')
    for (const [place, calls] of Map.groupBy(acts, act => act.place)) {
      if (calls.length > 1) yield `the task of run ${id} has the effect ${place} ${calls.length} times`
      for (const run of runs)
        if (hasLost(calls[0]!, run, world)) yield `run ${run.nth} has lost the effect ${place}`
    }
  }
}

/** Whether the run makes a call that a run before it had made, and has not what that brought. */
function hasLost(
  { run: { nth }, nth: result, place, endedAt }: ToolCall,
  run: RunRecord,
  world: World,
): boolean {
  const told = nth < run.nth && endedAt !== undefined ? resultAt(place, run, world) : undefined
  return told !== undefined && told !== `result ${result}`
}

/** With Redis well, only what was in flight when its replica was killed is not recorded. */
export function* stepsAreRecordedAtOnce(world: World): Generator<string> {
  if (world.schedule.faults.some(({ kind }) => kind !== 'kill' && kind !== 'drain')) return
  for (const run of world.runs)
    for (const { call, earlier } of repeatedIn(run, world)) {
      const { diedAt } = world.replicas[earlier.run.replica]!
      const isLate = diedAt !== undefined && earlier.endedAt! < diedAt - STORED_MS
      if (whyAgain(call, earlier, world) === 'unrecorded' && isLate)
        yield `reply ${earlier.nth} ended at ${earlier.endedAt}, and was not recorded at ${diedAt}`
    }
}

export function summaryOf(world: World): Summary {
  const summary = emptySummary()
  for (const run of world.runs) {
    const given = givenTo(run, world)
    if (given.replies.length + given.results.length > 0) summary.takenOver += 1
    const texts = (run.conversation ?? []).map(({ text }) => text)
    summary.replayedReplies += given.replies.filter(({ text = '' }) => texts.includes(text)).length
    summary.replayedResults += given.results.filter(({ nth }) => texts.includes(`result ${nth}`)).length
    for (const { call, earlier } of repeatedIn(run, world))
      summary.repeated[whyAgain(call, earlier, world)] += 1
  }
  return summary
}

/** The model's replies in a run's conversation. */
export function repliesIn({ conversation = [] }: RunRecord): BaseMessage[] {
  return conversation.filter(({ type }) => type === 'ai')
}

function givenTo(run: RunRecord, { steps, records, replicas }: World): Given {
  const { client } = replicas[run.replica]!
  const claim = steps.claims.findLast(
    claim => claim.client === client && claim.run === run.id && claim.at <= run.from,
  )
  if (!claim) return NOTHING
  const read = claim.given.map(record => JSON.parse(record)).filter(({ kind }) => kind === 'done')
  return {
    replies: read
      .map(({ result }) => result.message && records.replyIn(result.message.content))
      .filter(isPresent),
    results: read.map(({ result }) => records.resultIn(String(result))).filter(isPresent),
  }
}

/** Calls of a run that a run before it had made too, in the same turn, and whose task was not done anew since. */
function repeatedIn(run: RunRecord, world: World): { call: ModelCall; earlier: ModelCall }[] {
  if (world.schedule.env.REDIS_URL === undefined) return []
  return run.modelCalls.flatMap((call, index) => {
    const isRetry = run.modelCalls.findIndex(({ turn }) => turn === call.turn) < index
    const earlier = world.records.modelCalls.findLast(
      other =>
        other.run.nth < run.nth && other.run.id === run.id && other.turn === call.turn && !other.hasFailed,
    )
    const isAnew = earlier && lossOf(earlier, run, world) === 'replied'
    return earlier && !isRetry && !isAnew ? [{ call, earlier }] : []
  })
}

function whyAgain(call: ModelCall, earlier: ModelCall, world: World): Repeat {
  const { run } = call
  if (givenTo(run, world).replies.includes(earlier)) return 'other'
  if (earlier.endedAt === undefined || earlier.endedAt > run.from) return 'inFlight'
  return lossOf(earlier, run, world) === 'lost' ? 'lost' : 'unrecorded'
}

/** What had become of the record of a reply when the run began. */
function lossOf({ text = '' }: ModelCall, { from }: RunRecord, { steps }: World): Loss | undefined {
  const [, gone] = [...steps.gone].find(([record]) => record.includes(JSON.stringify(text))) ?? []
  return gone && gone.at <= from ? gone.loss : undefined
}

/** What the run's model was answered to its call in this place. */
function resultAt(place: string, { conversation = [] }: RunRecord, { records }: World): string | undefined {
  const results = conversation.filter(({ type }) => type === 'tool') as ToolMessage[]
  return results.find(({ tool_call_id: id }) => records.places.get(id) === place)?.text
}

function isPresent<Item>(item: Item | undefined): item is Item {
  return item !== undefined
}
