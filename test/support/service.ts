import type { RunResponse } from '@agent-task-service/contract'
import { readConfig } from '../../src/config.ts'
import { createService, type Service, type ServiceOptions } from '../../src/service.ts'

export interface TestService extends Service {
  /** Parsed log lines so far. */
  readonly lines: Record<string, unknown>[]
  /** Posts a body to `/run`: an object as JSON, a string verbatim. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  /** Posts a task and returns the reply's body. */
  run(input: string, config?: Record<string, unknown>, taskId?: string): Promise<RunResponse>
}

/**
 * The service without a socket. `env` is its whole environment; errors are logged in full.
 *
 * @example
 * const { run, lines } = await testService({ MAX_STEPS: '3' }, { tools: [myTool] })
 */
export async function testService(
  env: Record<string, string> = {},
  options: Omit<ServiceOptions, 'sink'> = {},
): Promise<TestService> {
  const lines: Record<string, unknown>[] = []
  const sink = {
    write(text: string) {
      const line = JSON.parse(text)
      lines.push(line)
      // biome-ignore lint/suspicious/noConsole: Vitest shows it with a test that fails
      if (line.err?.stack) console.error(`${line.msg}: ${line.err.stack}`)
    },
  }
  const declared = options.tools?.flatMap(tool => ('secrets' in tool ? tool.secrets : []))
  const service = await createService(readConfig({ LOG_ERRORS: 'full', ...env }, declared), {
    ...options,
    sink,
  })
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
  return { ...service, lines, post, run }
}
