import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { ToolError, UnknownOutcome } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { seedsOf } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'
import { type Act, callsOf, makeWithin, Stage, type StagedTool, WITHIN, ways } from './stage.ts'

const FAILURES = [new ToolError('no'), new Error('no'), new UnknownOutcome('no')]
/** LangChain's agent ends at the failure of a tool, and its other calls with it. */
const ENDS_AT_FAILURES = ['createAgent', 'middleware']

/** A call, and those that it makes itself. */
interface Scene extends Act {
  readonly within: readonly Scene[]
}

const groups: Readonly<Record<string, object | undefined>> = { own: undefined, crm: {}, shop: {} }
const hints: Readonly<Record<string, boolean | undefined>> = { write: false, read: true, plain: undefined }

const tools: readonly (StagedTool & { readonly group: string })[] = Object.entries(groups).flatMap(
  ([group, server]) =>
    Object.entries(hints).flatMap(([kind, readOnlyHint]) =>
      [1, 2].map(nth => ({ name: `${group}__${kind}${nth}`, readOnlyHint, server, group })),
    ),
)

const toolOf = ({ tool }: Act) => tools.find(({ name }) => name === tool)!

/** Some calls of a turn: a few tools often, or many tools once. */
function drawn(random: Random, depth: number, mayFail: boolean, prefix = ''): Scene[] {
  const pool = Array.from({ length: random.whole(1, 6) }, () => random.pick(tools).name)
  return Array.from({ length: random.whole(1, depth === 0 ? 22 : 5) }, (_, index) => {
    const id = `${prefix}${prefix && '.'}${index}`
    const way = random.pick(WITHIN)
    const hasInner = depth < 2 && random.happens(0.25)
    const within = hasInner ? drawn(random, depth + 1, !ENDS_AT_FAILURES.includes(way), id) : []
    const fails = mayFail && random.happens(0.2) ? random.whole(1, FAILURES.length) : 0
    return { tool: random.pick(pool), args: { id, way, fails, within }, within }
  })
}

/** What the rule says of two calls, of which `before` was made first and has not ended. */
function keepsWaiting(before: Act, call: Act): boolean {
  const [one, other] = [toolOf(before), toolOf(call)]
  const areDeclared = one.readOnlyHint !== undefined && other.readOnlyHint !== undefined
  return one.group === other.group && areDeclared && !(one.readOnlyHint && other.readOnlyHint)
}

/** The calls that the rule lets run now. */
function due(scenes: readonly Scene[], hasEnded: (act: Act) => boolean): Scene[] {
  const open = scenes.filter(scene => !hasEnded(scene))
  return open.flatMap((scene, index) => {
    const before = open.slice(0, index)
    const isEighth = before.filter(({ tool }) => tool === scene.tool).length >= 8
    if (isEighth || before.some(other => keepsWaiting(other, scene))) return []
    return [scene, ...due(scene.within, hasEnded)]
  })
}

const flat = (scenes: readonly Scene[]): Scene[] => scenes.flatMap(scene => [scene, ...flat(scene.within)])

async function play(seed: number): Promise<void> {
  const random = new Random(seed)
  const way = random.pick(Object.keys(ways))
  const scenes = drawn(random, 0, !ENDS_AT_FAILURES.includes(way))
  const stage: Stage = new Stage(
    tools.map(({ group: _, ...tool }) => tool),
    async ({ way, within, fails }, config) => {
      const acts = within as Scene[]
      if (acts.length > 0) await makeWithin(String(way), stage.tools, acts, config)
      return FAILURES[Number(fails) - 1]
    },
  )
  const model = new ScriptedModel([{ toolCalls: callsOf(scenes) }, 'Done.'])
  const { app } = await testService(
    { ...agent, graph: ways[way]! },
    { env: { MAX_STEPS: '1000' }, models: [model.named()], tools: stage.tools },
  )
  const caller = new AbortController()
  const reply = app.request('/run', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ task_id: 'test-1', input: 'Go on' }),
    signal: caller.signal,
  })
  const hasEnded = ({ args }: Act) => stage.trace.includes(`-${args.id}`)
  const isCut = random.happens(0.2)
  for (let left = flat(scenes).length; left > 0; ) {
    const running = await stage.running()
    const now = due(scenes, hasEnded)
    const ids = now.map(({ args }) => args.id)
    expect(running.sort(), `seed ${seed}, ${way}`).toEqual(ids.sort())
    if (isCut && random.happens(0.2)) {
      caller.abort()
      await reply
      const begun = stage.trace.filter(event => event.startsWith('+'))
      for (const { args } of flat(scenes)) stage.end(args.id)
      expect(await stage.running()).toEqual([])
      expect(stage.trace.filter(event => event.startsWith('+'))).toEqual(begun)
      return
    }
    const ripe = now.filter(({ within }) => within.every(hasEnded))
    for (let count = random.whole(1, 3); count > 0 && ripe.length > 0; count -= 1) {
      const [{ args }] = ripe.splice(random.whole(0, ripe.length - 1), 1) as [Scene]
      stage.end(args.id)
      left -= 1
    }
  }
  expect(await (await reply).json(), `seed ${seed}, ${way}`).toMatchObject({
    status: 'success',
    output: 'Done.',
  })
}

test('whatever calls a turn makes, those that the rule lets run do, and no others', async () => {
  for (const seed of seedsOf(400, 25)) await play(seed)
})
