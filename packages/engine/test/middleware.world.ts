import { readFileSync } from 'node:fs'
import type { GraphParts } from '@agent-task-service/engine'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { asks, call, fails, json, says } from '@agent-task-service/test-support/openai-replies'
import { type ModelRequest, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { warmUp } from '@agent-task-service/test-support/service'
import { ChatOpenAI } from '@langchain/openai'
import * as langchain from 'langchain'
import { type AgentMiddleware, ClearToolUsesEdit, createAgent, createMiddleware } from 'langchain'
import { beforeAll, expect, test } from 'vitest'

/** A middleware as a row of the table has it. */
interface Row {
  readonly options?: string
  /** Of several that one row is about. */
  readonly kind?: string
  /** Makes it so that it changes nothing of a run in which the model is well. */
  readonly make: (parts: GraphParts, url: string) => AgentMiddleware
  /** What it is there for, and how to make it so that this happens. */
  readonly own?: readonly [what: string, make?: Row['make']]
}

const moderation = (url: string, moderationModel: string) => {
  const model = new ChatOpenAI({ apiKey: 'any', configuration: { baseURL: url } })
  return langchain.openAIModerationMiddleware({ model, moderationModel: moderationModel as never })
}
const fallback = () => langchain.modelFallbackMiddleware(new ScriptedModel(() => 'Done.'))
const LIMIT_REACHED = 'its limit is reached, with any `exitBehavior`'
const modelCalls = (exitBehavior: 'end' | 'error'): Row => ({
  kind: `exitBehavior: '${exitBehavior}'`,
  make: () => langchain.modelCallLimitMiddleware({ runLimit: 9, exitBehavior }),
  own: [LIMIT_REACHED, () => langchain.modelCallLimitMiddleware({ runLimit: 1, exitBehavior })],
})
const toolCalls = (exitBehavior: 'continue' | 'end' | 'error'): Row => ({
  kind: `exitBehavior: '${exitBehavior}'`,
  make: () => langchain.toolCallLimitMiddleware({ runLimit: 9, exitBehavior }),
  own: [LIMIT_REACHED, () => langchain.toolCallLimitMiddleware({ runLimit: 1, exitBehavior })],
})

const rows: Readonly<Record<string, readonly Row[]>> = {
  anthropicPromptCachingMiddleware: [{ make: () => langchain.anthropicPromptCachingMiddleware() }],
  bedrockPromptCachingMiddleware: [{ make: () => langchain.bedrockPromptCachingMiddleware() }],
  contextEditingMiddleware: [
    {
      make: () =>
        langchain.contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 1 } })] }),
    },
  ],
  dynamicSystemPromptMiddleware: [{ make: () => langchain.dynamicSystemPromptMiddleware(() => 'Answer.') }],
  humanInTheLoopMiddleware: [
    {
      make: () => langchain.humanInTheLoopMiddleware({ interruptOn: {} }),
      own: [
        'a call needs approval',
        () => langchain.humanInTheLoopMiddleware({ interruptOn: { look: true } }),
      ],
    },
  ],
  llmToolSelectorMiddleware: [{ make: ({ model }) => langchain.llmToolSelectorMiddleware({ model }) }],
  modelCallLimitMiddleware: [modelCalls('end'), modelCalls('error')],
  modelFallbackMiddleware: [{ make: fallback }],
  modelRetryMiddleware: [
    { kind: "onFailure: 'continue'", make: () => langchain.modelRetryMiddleware({ maxRetries: 2 }) },
    {
      kind: "onFailure: 'error'",
      make: () => langchain.modelRetryMiddleware({ maxRetries: 2, onFailure: 'error' }),
    },
  ],
  openAIModerationMiddleware: [
    {
      make: (_parts, url) => moderation(url, 'lenient'),
      own: ['the task is flagged', (_parts, url) => moderation(url, 'strict')],
    },
  ],
  piiMiddleware: [
    {
      options: "strategy: 'block'",
      make: () => langchain.piiMiddleware('email', { strategy: 'block' }),
      own: [
        'it blocks',
        () => langchain.piiMiddleware('greeting', { strategy: 'block', detector: /Hello/g }),
      ],
    },
  ],
  piiRedactionMiddleware: [{ make: () => langchain.piiRedactionMiddleware({ rules: { ssn: /\d{9}/ } }) }],
  providerToolSearchMiddleware: [{ make: () => langchain.providerToolSearchMiddleware() }],
  summarizationMiddleware: [
    {
      make: ({ model }) =>
        langchain.summarizationMiddleware({ model, trigger: { messages: 3 }, keep: { messages: 2 } }),
    },
  ],
  todoListMiddleware: [{ make: () => langchain.todoListMiddleware() }],
  toolCallLimitMiddleware: [toolCalls('continue'), toolCalls('end'), toolCalls('error')],
  toolEmulatorMiddleware: [{ make: ({ model }) => langchain.toolEmulatorMiddleware({ model }) }],
  toolErrorMiddleware: [
    {
      make: () => langchain.toolErrorMiddleware({ onError: () => 'It failed.' }),
      own: ['the tool fails'],
    },
  ],
  toolRetryMiddleware: [{ make: () => langchain.toolRetryMiddleware(), own: ['the tool fails'] }],
}

/** A middleware that passes each call on, as most do. */
const passing = createMiddleware({ name: 'passing', wrapModelCall: (request, handler) => handler(request) })

/** Of `modelRetryMiddleware`, by default. */
const ITS_TRIES = 'error, 3'

type Place = (made: AgentMiddleware) => readonly AgentMiddleware[]

/** Lists of middleware with this one in it. */
function placesOf(name: string): Readonly<Record<string, Place>> {
  const places: Record<string, Place> = { first: made => [made, passing], last: made => [passing, made] }
  return name === 'modelRetryMiddleware'
    ? { ...places, 'before `modelFallbackMiddleware`': made => [made, fallback()] }
    : { ...places, 'before `modelRetryMiddleware`': made => [made, langchain.modelRetryMiddleware()] }
}

/** A server whose model calls the tool twice, then answers, and which moderates. */
async function modelServer(isDead: boolean) {
  let asked = 0
  let turns = 0
  const reply = ({ body }: ModelRequest): Reply => {
    if (!('messages' in body)) {
      const flagged = (body as { model: string }).model === 'strict'
      return json({ results: [{ flagged, categories: {}, category_scores: {} }] })
    }
    asked += 1
    if (isDead) return fails(500)
    const [name] = body.tools?.map(({ function: { name } }) => name) ?? []
    // For a middleware that asks it for a summary, a result or a selection of tools.
    if (name === undefined) return says('Something.')
    if (name !== 'look' && body.tools?.length === 1) return asks([call(name, { tools: ['look'] })])
    turns += 1
    return turns < 3 ? asks([call('look', {})]) : says('Done.')
  }
  const { env } = await openAIServer(reply)
  return { env, asked: () => asked }
}

/** How a run ends, and with how many requests to the model. */
async function measure(
  time: FakeTime,
  make: Row['make'],
  place: Place,
  { isDead = false, toolFails = false } = {},
): Promise<string> {
  const { env, asked } = await modelServer(isDead)
  const look = tool('look', () => {
    if (toolFails) throw new Error('broken')
    return 'Seen.'
  })
  const graph = (parts: GraphParts) => {
    const middleware = place(make(parts, env.OPENAI_BASE_URL))
    return createAgent({ model: parts.model, tools: [...parts.tools], middleware })
  }
  const { run } = await testService({ ...agent, graph }, { env, tools: [look] })
  const { status } = await time.until(run('Hello'))
  return `${status === 'success' ? 'answer' : status}, ${asked()}`
}

/** What holds in each place, once if it is the same. */
async function inEach(
  places: Readonly<Record<string, Place>>,
  measureIn: (place: Place) => Promise<string>,
): Promise<string> {
  const ends: (readonly [name: string, end: string])[] = []
  for (const [name, place] of Object.entries(places)) ends.push([name, await measureIn(place)])
  const [[, same] = ['', '']] = ends
  return ends.every(([, end]) => end === same) ? same : ends.map(each => each.join(': ')).join('; ')
}

const page = readFileSync(new URL('../../../docs/guides/agent-loops.md', import.meta.url), 'utf8')
/** Its lines; a row about several has one for each. */
const lines = page.split('\n').flatMap(line => {
  const [, names, cells] = /^\| ((?:`\w+`(?:, )?)+)( \|.*)$/.exec(line) ?? []
  return names === undefined ? [line] : names.split(', ').map(name => `| ${name}${cells}`)
})
const cases = Object.entries(rows).flatMap(([name, each]) =>
  each.map(row => {
    const quoted = (parts: readonly (string | undefined)[]) =>
      parts
        .filter(part => part !== undefined)
        .map(part => `\`${part}\``)
        .join(', ')
    const inTable = quoted([name, row.options])
    return { name, middleware: quoted([name, row.options, row.kind]), inTable, row }
  }),
)

beforeAll(warmUp)

// EVIDENCE-OF docs/guides/agent-loops.md: The number is that of requests to the model's endpoint, which in the column "Model down"
//   answers HTTP 500 to each.
test.each(cases)('$middleware: as the page says', async ({ name, inTable, row: { make, own } }) => {
  const time = fakeTime()
  const places = placesOf(name)
  const well = await inEach(places, place => measure(time, make, place))
  const down = async (place: Place) => await measure(time, make, place, { isDead: true })
  const { first, last, ...beside } = placesOf(name)
  const [[neighbour, place]] = Object.entries(beside) as [[string, Place]]
  const ends = [await inEach({ first, last } as Record<string, Place>, down), await down(place)]
  const dead = ends[1] === ITS_TRIES ? ends[0] : `${ends[0]}; ${neighbour}: ${ends[1]}`
  const [what, makeOwn = make] = own ?? []
  const toolFails = own?.length === 1
  const ownCell =
    what && `${what}: ${await inEach(places, place => measure(time, makeOwn, place, { toolFails }))} `
  const line = `| ${inTable} | ${well} | ${dead} | ${ownCell ?? ''}|`
  expect(lines).toContain(line)
})

test('nothing else is on the page', () => {
  const named = [...lines.join('\n').matchAll(/^\| `(\w+Middleware)`.* \| (?:answer|error), \d.*\|$/gm)]
  expect(named.map(([, name]) => name).sort()).toEqual(Object.keys(rows).sort())
})
