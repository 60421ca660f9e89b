import type { ModelEntry } from '../../packages/engine/model/model-entry.ts'
import { testService as serviceOf, type TestService } from '../../packages/engine/testing.ts'
import type { AgentTool } from '../../packages/engine/tool.ts'
import { agent } from './agent/test-agent.ts'

export type { TestService } from '../../packages/engine/testing.ts'

/** What a test puts in place of the agent's own. */
export interface ServiceOptions {
  readonly models?: readonly ModelEntry[] | undefined
  readonly tools?: readonly AgentTool[] | undefined
}

/**
 * The service of the tests' own agent, without a socket. `env` is its whole environment; errors are logged in full.
 *
 * @example
 * const { run, lines } = await testService({ MAX_STEPS: '3' }, { tools: [myTool] })
 */
export async function testService(
  env: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService> {
  return await serviceOf(agent, { env, ...options })
}
