/** For tests of an agent: its service without a socket, its graph by itself, and a model that follows a script. */
import type { RunResponse } from '@agent-task-service/wire/contract'
import { createMask } from '@agent-task-service/wire/masking'
import type { AgentDefinition } from '../agent/definition.ts'
import { readConfig } from '../config/config.ts'
import type { AgentGraph, GraphParts } from '../graph/graph-parts.ts'
import { createLog } from '../log/log.ts'
import type { ModelEntry } from '../model/model-entry.ts'
import type { RunContext } from '../run/context.ts'
import { createGraphParts, createService, type Service } from '../service/service.ts'
import { graphPerRun } from '../service/studio.ts'
import type { AgentTool } from '../tools/tool.ts'

/** A tool as models call it, for tests of what it makes of their arguments. */
export { guardTool } from '../tools/guarded-tools.ts'
export {
  type ModelRequest,
  type ScriptedAnswer,
  ScriptedModel,
  type ScriptedReply,
} from './scripted-model.ts'

export interface TestOptions {
  /** The whole environment; absent: empty. */
  readonly env?: Readonly<Record<string, string>>
  /** In place of the agent's models. */
  readonly models?: readonly ModelEntry[] | undefined
  /** In place of the agent's tools. */
  readonly tools?: readonly AgentTool[] | undefined
}

export interface TestService extends Service {
  /** Parsed log lines so far. */
  readonly lines: Record<string, unknown>[]
  /** Posts a body to `/run`: an object as JSON, a string verbatim. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  /** Posts a task and returns the reply's body. */
  run(input: string, config?: Record<string, unknown>, taskId?: string): Promise<RunResponse>
}

export interface TestGraph {
  /** What it was built from: the models as one, and the tools as models are offered them. */
  readonly parts: GraphParts
  /** The graph for one run, which has the limits of a run over HTTP, counted from here. */
  graph(settings?: RunContext): AgentGraph
  /** Parsed log lines so far. */
  readonly lines: Record<string, unknown>[]
}

/**
 * The service of an agent, without a socket. Errors are logged in full.
 *
 * @example
 * const { run, lines } = await testService(agent, { env: { MAX_STEPS: '3' }, tools: [myTool] })
 */
export async function testService(agent: AgentDefinition, options: TestOptions = {}): Promise<TestService> {
  const { tested, config, lines, sink } = setUp(agent, options)
  const service = await createService(tested, config, sink)
  // A registered tool may lack its key here; the tests must pass in projects with such tools too.
  if (!options.tools) lines.splice(0, lines.length, ...lines.filter(({ missing }) => missing === undefined))
  const post: TestService['post'] = async (body, headers = {}) =>
    await service.app.request('/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const run: TestService['run'] = async (input, config, taskId = 'test-1') => {
    const response = await post({ task_id: taskId, input, ...(config && { config }) })
    return (await response.json()) as RunResponse
  }
  // A slow machine delivers all of its telemetry, too.
  const close: TestService['close'] = async (timeLeftMs = 60_000) => await service.close(timeLeftMs)
  return { ...service, close, lines, post, run }
}

/**
 * The graph of an agent by itself, as LangGraph Studio has it: messages of earlier runs may come first, and errors are thrown.
 *
 * @example
 * const { graph } = await testGraph(agent, { models: [new ScriptedModel(['Hi!']).named()] })
 * const { messages } = await graph().invoke({ messages: [new HumanMessage('Hello')] })
 */
export async function testGraph(agent: AgentDefinition, options: TestOptions = {}): Promise<TestGraph> {
  const { tested, config, lines, sink } = setUp(agent, options)
  const log = createLog(config, createMask(config.secrets), sink)
  const parts = await createGraphParts(tested, config, log)
  const graph = graphPerRun(tested, parts, log, error => {
    throw error
  })
  return { parts, graph: (settings = {}) => graph(settings), lines }
}

/** The agent with what the test puts in place of its own, its settings, and its log. */
function setUp(agent: AgentDefinition, { env = {}, models, tools }: TestOptions) {
  const lines: Record<string, unknown>[] = []
  const sink = {
    write(text: string) {
      const line = JSON.parse(text)
      lines.push(line)
      // biome-ignore lint/suspicious/noConsole: a test runner shows it with a test that fails
      if (line.err?.stack) console.error(`${line.msg}: ${line.err.stack}`)
    },
  }
  const tested = {
    ...agent,
    ...(models && { models: async () => models }),
    // In this order.
    ...(tools && { tools: Object.fromEntries(tools.map((tool, index) => [`${1000 + index}`, tool])) }),
  } as AgentDefinition
  return { tested, config: readConfig({ LOG_ERRORS: 'full', ...env }, tested), lines, sink }
}
