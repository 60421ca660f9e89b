import { testService } from '@agent-task-service/test-support/service'
import type { RunResponse } from '@agent-task-service/wire/contract'
import type { Scene } from './draw.ts'
import { Stage } from './server.ts'
import { type Call, digits, expectedOutput, taskTools } from './task.ts'
import { exactly, json } from './text.ts'

/** More than any provider of the double takes. */
const TOO_HIGH_A_CAP = 100_000

/** What went wrong with the provider of a seed, one line each, and what it is. */
export interface Verdict {
  readonly seed: number
  readonly problems: readonly string[]
  /** The provider and its replies. */
  readonly about: string
}

/** Has the provider serve a run, and a second one that knows what the first has learnt. */
export async function check(scene: Scene): Promise<Verdict> {
  const stage = new Stage(scene)
  const ran: Call[] = []
  const tools = taskTools(ran, scene.otherTools, scene.oddAt)
  const { run } = await testService(environmentOf(scene, stage), { tools })
  const config = scene.limit === 'cap' ? { max_tokens: TOO_HIGH_A_CAP } : undefined
  const problems: string[] = []
  for (const nth of [1, 2]) {
    stage.begin()
    ran.length = 0
    const reply = await run(scene.task.input, config)
    const found = [...toRefusals(stage, nth), ...toRun(scene, stage, ran, reply), ...stage.problems]
    problems.push(...new Set(found.map(problem => `run ${nth}: ${problem}`)))
    if (problems.length > 0) break
  }
  stage.close()
  return { seed: scene.seed, problems, about: describe(scene, stage) }
}

function environmentOf({ kind, limit, hasTemperature, foreignIds }: Scene, stage: Stage) {
  const own = { BASE_URL: `${stage.url}/v1`, API: kind.api ?? 'chat' }
  const params = kind.params && JSON.stringify(kind.params)
  const first = { MODEL: 'first', OPENAI_BASE_URL: `${stage.url}/first/v1`, OPENAI_API: 'chat' }
  return {
    LOG_ERRORS: 'brief',
    OPENAI_API_KEY: 'key-of-the-double',
    ...(hasTemperature && { TEMPERATURE: '0' }),
    ...(limit === 'steps' && { MAX_STEPS: `${stepsOf(stage)}` }),
    ...(foreignIds
      ? {
          ...first,
          FALLBACK_MODEL: kind.model,
          FALLBACK_BASE_URL: own.BASE_URL,
          FALLBACK_API: own.API,
          FALLBACK_API_KEY: 'another-key-of-the-double',
          ...(params && { FALLBACK_PARAMS: params }),
        }
      : {
          MODEL: kind.model,
          OPENAI_BASE_URL: own.BASE_URL,
          OPENAI_API: own.API,
          ...(params && { MODEL_PARAMS: params }),
        }),
  }
}

/** Each rule may be met as often as learning it needs. */
function toRefusals({ refusals }: Stage, nth: number): string[] {
  return [...new Set(refusals.map(({ rule }) => rule))].flatMap(rule => {
    const { costs, name, source } = rule
    const met = refusals.filter(refusal => refusal.rule === rule)
    const allowed = nth === 1 || costs.per === 'run' ? costs.refusals : 0
    return met.length > allowed
      ? [`${met.length} refusals in place of ${allowed}, "${name}" (${source}): ${met.at(-1)!.message}`]
      : []
  })
}

/** Each call ran once and as it was made, the answer is the model's, and the metrics are the provider's. */
function toRun(scene: Scene, stage: Stage, ran: readonly Call[], reply: RunResponse): string[] {
  const { usages, script } = stage
  if (reply.status !== 'success') return [`${reply.status}: ${reply.error}`]
  const { output, metrics } = reply
  const called = scene.task.rounds.flat()
  const seen = ran.map(({ name, args }) => digits({ name, args: exactly(json(args)) })).sort()
  const asked = called.map(digits).sort()
  const [extra, missing] = [
    seen.filter(call => !asked.includes(call)),
    asked.filter(call => !seen.includes(call)),
  ]
  const steps = stepsOf(stage)
  const requests = script.length + (scene.stumble ? 1 : 0)
  const sum = (of: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((total, each) => total + of(each), 0)
  const isTold = scene.manner.usage !== 'missing'
  const expected = {
    steps,
    input_tokens: sum(({ input }) => input),
    output_tokens: sum(({ output }) => output),
  }
  const { duration_sec: _, ...counted } = metrics as Record<string, number>
  return [
    ...(missing.length > 0 ? [`not called: ${missing.join(' ')}; called: ${extra.join(' ')}`] : []),
    ...(missing.length === 0 && seen.length !== asked.length
      ? [`${seen.length} calls ran, not ${asked.length}`]
      : []),
    ...(stage.hasAnswered ? [] : ['it ended before the model had answered']),
    ...(usages.length === requests ? [] : [`${usages.length} requests in place of ${requests}`]),
    ...(output === expectedOutput(scene.task)
      ? []
      : [
          `the output is ${JSON.stringify(output)} in place of ${JSON.stringify(expectedOutput(scene.task))}`,
        ]),
    ...Object.entries(expected)
      .filter(([name, value]) => (isTold || name === 'steps' ? counted[name] !== value : !counted[name]))
      .map(([name, value]) => `${name} is ${counted[name]} in place of ${value}`),
  ]
}

/** Model calls and tool calls. */
function stepsOf({ script }: Stage): number {
  return script.length + script.flatMap(({ calls }) => calls).length
}

function describe({ kind, rules, manner, ...scene }: Scene, { sent }: Stage): string {
  return [
    json({ kind: kind.name, source: kind.source, ...scene }),
    JSON.stringify(manner),
    `refuses: ${rules.map(({ name }) => name).join(', ')}`,
    sent,
  ].join('\n')
}
