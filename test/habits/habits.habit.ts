import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Collector, startCollector } from '../support/collector.ts'
import { type ModelRequest, type OpenAIServer, openAIServer } from '../support/openai-server.ts'
import { type Studio, startStudio } from '../support/studio.ts'
import { copiesWith, removeCopies } from './copies.ts'
import type { Edit, Ending, Task } from './edit.ts'
import * as edits from './edits.ts'
import { studioClient } from './in-studio.ts'
import { obedient, USAGE } from './obedient-model.ts'
import { type HttpRun, serve } from './over-http.ts'

let root: string
let model: OpenAIServer
let collector: Collector
let studio: Studio
let env: Record<string, string>

beforeAll(async () => {
  root = await copiesWith(edits)
  model = await openAIServer(() => obedient)
  collector = await startCollector()
  const claude = {
    ANTHROPIC_API_KEY: 'sk-ant-1',
    ANTHROPIC_BASE_URL: model.env.OPENAI_BASE_URL.replace('/v1', ''),
  }
  env = { ...model.env, ...claude, MAX_STEPS: '8', MAX_TOTAL_TOKENS: '2000', ERROR_METRICS: 'filled' }
  // Models that an edit makes for itself read it on their own.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const graphs = Object.keys(edits).map(name => [name, join(root, name, 'src/studio.ts:agent')])
  studio = await startStudio(env, Object.fromEntries(graphs))
}, 120_000)

afterAll(async () => {
  await studio?.stop()
  if (root) await removeCopies(root)
})

test.each(Object.entries<Edit>(edits))('%s', async (name, { tasks }) => {
  const agent = await serve(join(root, name), { ...env, ...collector.env })
  const { run } = studioClient(studio.url)
  const traces: { readonly id: unknown; readonly task: Task }[] = []
  for (const task of tasks) {
    const overHttp = await asked(() => agent.run(task))
    const { output, error, line, custom } = overHttp.result
    expectEnding({ output, error }, task)
    expect(line).toMatchObject({ stop: task.stop ?? 'answer' })
    expect(custom).toEqual(task.custom ?? [])
    expectCounted(overHttp.result, overHttp.requests, task)
    if (task.asked !== undefined) expect(JSON.stringify(overHttp.requests[0]?.body)).toContain(task.asked)
    traces.push({ id: line.trace_id, task })

    const inStudio = await asked(() => run(name, task))
    expectEnding(inStudio.result, task.studio ?? task, 'in Studio')
    expect(inStudio.result.custom).toEqual(task.custom ?? [])
    if (task.error === undefined)
      expect(inStudio.requests.map(gist), 'what the model is asked in Studio').toEqual(
        overHttp.requests.map(gist),
      )
    else expect(inStudio.requests.length).toBeLessThanOrEqual(task.modelCalls ?? 0)
  }
  await agent.close()
  for (const { id, task } of traces) {
    const named = (prefix: string) =>
      collector.spans.filter(({ traceId, name }) => traceId === id && name.startsWith(prefix)).length
    expect(named('chat '), 'spans of model calls').toBe(task.modelCalls ?? 0)
    expect(named('execute_tool'), 'spans of tool calls').toBe(task.toolCalls ?? 0)
  }
})

/** What the model was asked meanwhile. */
async function asked<Result>(work: () => Promise<Result>) {
  const from = model.requests.length
  const result = await work()
  return { result, requests: model.requests.slice(from) }
}

function gist({ body: { messages, tools, max_tokens } }: ModelRequest) {
  const said = messages.map(({ role, content, tool_calls }) => [
    role,
    content,
    tool_calls?.map(call => call.function),
  ])
  return { said, tools: tools?.map(tool => tool.function?.name ?? tool), max_tokens }
}

function expectEnding(
  came: { output: string; error?: string | undefined },
  { output, error }: Ending,
  where = 'over HTTP',
) {
  if (error !== undefined) expect(came.error, where).toContain(error)
  else
    expect(came, where).toEqual({
      ...came,
      error: undefined,
      output: typeof output === 'string' ? output : expect.stringMatching(output ?? /^$/),
    })
}

/** Steps, tokens and events of a run are those of the calls that were made. */
function expectCounted({ events, metrics }: HttpRun, requests: readonly ModelRequest[], task: Task) {
  const { modelCalls = 0, toolCalls = 0, error } = task
  const count = (type: string) => events.filter(event => event.type === type).length
  expect({ model: count('model_started'), tools: count('tool_started'), steps: metrics.steps }).toEqual({
    model: modelCalls,
    tools: toolCalls,
    steps: modelCalls + toolCalls,
  })
  if (error !== undefined) expect(requests.length).toBeLessThanOrEqual(modelCalls)
  else {
    expect(requests).toHaveLength(modelCalls)
    expect(metrics.input_tokens).toBe(modelCalls * USAGE.read)
  }
}
