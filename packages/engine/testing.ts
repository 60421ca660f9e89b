/** For tests of an agent: its service without a socket, and a model that follows a script. */
import type { RunResponse } from '@agent-task-service/wire/contract'
import { readConfig } from './config.ts'
import type { AgentDefinition } from './definition.ts'
import type { ModelEntry } from './model/model-entry.ts'
import { createService, type Service } from './service.ts'
import type { AgentTool } from './tool.ts'

export { type ScriptedAnswer, ScriptedModel, type ScriptedReply } from './testing/scripted-model.ts'

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

/**
 * The service of an agent, without a socket. Errors are logged in full.
 *
 * @example
 * const { run, lines } = await testService(agent, { env: { MAX_STEPS: '3' }, tools: [myTool] })
 */
export async function testService(
  agent: AgentDefinition,
  { env = {}, models, tools }: TestOptions = {},
): Promise<TestService> {
  const lines: Record<string, unknown>[] = []
  const sink = {
    write(text: string) {
      const line = JSON.parse(text)
      lines.push(line)
      // biome-ignore lint/suspicious/noConsole: a test runner shows it with a test that fails
      if (line.err?.stack) console.error(`${line.msg}: ${line.err.stack}`)
    },
  }
  const tested: AgentDefinition = {
    ...agent,
    ...(models && { models: async () => models }),
    // In this order.
    ...(tools && { tools: Object.fromEntries(tools.map((tool, index) => [`${1000 + index}`, tool])) }),
  }
  const service = await createService(tested, readConfig({ LOG_ERRORS: 'full', ...env }, tested), sink)
  // A registered tool may lack its key here; the tests must pass in projects with such tools too.
  if (!tools) lines.splice(0, lines.length, ...lines.filter(({ missing }) => missing === undefined))
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
  return { ...service, lines, post, run }
}
