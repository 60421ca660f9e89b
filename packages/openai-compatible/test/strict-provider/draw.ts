import { Random } from '@agent-task-service/test-support/random'
import { drawn } from './kinds.ts'
import type { Kind, Manner, Rule } from './provider.ts'
import { isOfSchemas } from './rules.ts'
import { drawTask, type Task } from './task.ts'
import { templateOf } from './templates.ts'

/** What a model says once in a run, before it says what it should. */
export type Stumble = 'empty' | 'invisible' | 'promises_calls' | 'broken_call'

/** One provider and one run with it. The same seed draws the same. */
export interface Scene {
  readonly seed: number
  readonly kind: Kind
  readonly rules: readonly Rule[]
  readonly manner: Manner
  readonly task: Task
  /** Its first reply calls a tool of this name, which there is not. */
  readonly madeUpName?: string
  readonly stumble?: { readonly kind: Stumble; readonly at: number }
  /** The reply whose connection stays open. */
  readonly openAt: number
  /** How another model wrote the ids of the first round, before its key was revoked. */
  readonly foreignIds?: ForeignIds
  /** The run's limits: none; a cap that is too high; steps for no more than the task, so that the answer is asked for. */
  readonly limit: 'none' | 'cap' | 'steps'
  readonly hasTemperature: boolean
  readonly otherTools: number
  readonly oddAt: number
  /** Seeds the pieces of the replies. */
  readonly salt: number
}

export type ForeignIds = 'long' | 'odd_characters' | 'none' | 'plain'

/** As OpenAI writes. */
export const USUAL: Manner = {
  way: 'streamed',
  end: 'done',
  finish: 'own_chunk',
  reason: 'tool_calls',
  usage: 'own_chunk',
  thoughtTokens: 'inside',
  packets: 'events',
  newline: '\n',
  noise: 'none',
  reasoning: 'none',
  words: 'none',
  content: 'string',
  template: 'hermes',
  calls: 'wire',
  frame: 'none',
  pieces: 'whole',
  index: 'own',
  ids: 'unique',
  idsIn: 'first_piece',
  names: 'plain',
  args: 'plain',
}

export function draw(seed: number): Scene {
  const random = new Random(seed)
  const kind = random.pick(drawn)
  const manner = drawManner(kind, random)
  const template = templateOf(manner.template)
  const task = drawTask(random, manner.calls === 'wire' || template.isParallel === true)
  const replies = task.rounds.length + 1
  const maybe = kind.maybe.filter(() => random.happens(0.5))
  const rules = learnable([...kind.always, ...maybe])
  const madeUp = random.happens(0.1) && manner.calls === 'wire' ? 'math.evaluate all' : undefined
  const stumble = random.happens(0.15) ? drawStumble(kind, manner, random) : undefined
  const isContinued = !kind.takesOnlyOwnTurns && !madeUp && random.happens(0.15)
  const otherTools = random.whole(0, 8)
  return {
    seed,
    kind,
    rules,
    manner,
    task,
    ...(madeUp && { madeUpName: madeUp }),
    // The first round of a continued run is another model's.
    ...(stumble && { stumble: { kind: stumble, at: random.whole(isContinued ? 1 : 0, replies - 1) } }),
    openAt: random.whole(isContinued ? 1 : 0, replies - 1),
    ...(isContinued && {
      foreignIds: random.pick<ForeignIds>(['long', 'odd_characters', 'none', 'plain']),
    }),
    limit: drawLimit(rules, isContinued, random),
    hasTemperature: random.happens(0.3),
    otherTools,
    oddAt: random.whole(0, otherTools + 4),
    salt: random.whole(0, 2 ** 31),
  }
}

/** A run changes at most four requests, one of them for a cap that is too high. */
const MAX_REFUSALS = 4

/** Those of the rules that one run can learn. */
function learnable(rules: readonly Rule[]): readonly Rule[] {
  let refusals = 0
  return rules.filter(({ costs }) => {
    const isLearnable = refusals + costs.refusals <= MAX_REFUSALS
    if (isLearnable) refusals += costs.refusals
    return isLearnable
  })
}

function drawLimit(rules: readonly Rule[], isContinued: boolean, random: Random): Scene['limit'] {
  const limit = random.pick(['none', 'none', 'cap', 'steps'] as const)
  // A request that may call no tool learns nothing of tools.
  const isWithoutLearning = isContinued && rules.some(isOfSchemas)
  return limit === 'steps' && isWithoutLearning ? 'none' : limit
}

/** A choice for each member, then those undone that exclude each other. */
function drawManner({ manner: options }: Kind, random: Random): Manner {
  const drawn = Object.entries(options).map(([member, choices]) => [
    member,
    random.pick(choices as readonly unknown[]),
  ])
  let manner: Manner = { ...USUAL, ...Object.fromEntries(drawn) }
  const fix = (isWrong: boolean, instead: Partial<Manner>) => {
    if (isWrong) manner = { ...manner, ...instead }
  }
  fix(manner.calls === 'wire' && options.calls === undefined && options.frame === undefined, {
    template: 'hermes',
  })
  fix(manner.calls === 'text', { names: 'plain', args: 'plain', ids: 'unique', words: 'none' })
  const { reasoning } = templateOf(manner.template)
  const isTagged = manner.reasoning === 'think_tags' || manner.reasoning === 'lone_close'
  fix(isTagged && reasoning === 'channel', { reasoning: 'none' })
  fix(manner.calls === 'text' && reasoning === 'channel', { reasoning: 'channel', frame: 'both' })
  // ReAct is plain text from its first word on.
  fix(manner.template === 're_act' && manner.calls === 'text', { reasoning: 'none', frame: 'none' })
  // Who leaves out the first tag has it in the prompt, behind the beginning of the turn.
  fix(manner.reasoning === 'lone_close' && manner.frame === 'both', { frame: 'end' })
  fix(manner.reasoning === 'parts', { content: 'parts' })
  fix(manner.reasoning === 'none', { thoughtTokens: 'inside' })
  // Without a finish, arguments that are no JSON are those of a stream that broke off.
  fix(manner.finish === 'none', {
    end: 'done',
    args: manner.args === 'members_as_text' ? manner.args : 'plain',
  })
  // Only the end of the body, or [DONE], ends a stream whose finishes mean nothing.
  fix(manner.finish === 'every_chunk' && manner.end === 'open', { end: 'done' })
  fix(manner.pieces === 'interleaved', { index: 'own' })
  fix(manner.index !== 'own', { args: 'plain' })
  fix(manner.index !== 'own' && manner.ids !== 'unique' && manner.ids !== 'nine', { pieces: 'whole' })
  fix(manner.index === 'none' && manner.pieces !== 'whole', { ids: 'unique' })
  fix(manner.ids === 'all_alike', { index: 'own' })
  return manner
}

function drawStumble({ api }: Kind, { template, calls, finish }: Manner, random: Random): Stumble {
  const kinds: Stumble[] = ['empty', 'invisible']
  if (api === undefined && (finish === 'own_chunk' || finish === 'last_delta')) kinds.push('promises_calls')
  // Cut off, these can be read as nothing else.
  if (calls === 'text' && ['hermes', 'kimi_k2', 'deepseek_v31'].includes(template)) kinds.push('broken_call')
  return random.pick(kinds)
}
