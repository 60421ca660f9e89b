import type { GraphParts, ModelEntry } from '@agent-task-service/engine'
import { testService as serviceOf, type TestService, testGraph } from '@agent-task-service/engine/testing'
import type { AgentTool } from '@agent-task-service/engine/tool'
import { agent } from './agent/test-agent.ts'
import { says } from './openai-replies.ts'
import { openAIServer } from './openai-server.ts'

export type { TestService } from '@agent-task-service/engine/testing'

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

/** The models of that service as one, as its graph gets it, for calls outside of a run. */
export async function modelOf(
  env: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<GraphParts['model']> {
  return (await testGraph(agent, { env, ...options })).parts.model
}

/** Loads what a first run does, which later ones have at once. Before `fakeTime`, whose time would pass while it loads. */
export async function warmUp(): Promise<void> {
  const { env } = await openAIServer(() => says('Warm.'))
  await (await testService(env)).run('Warm up')
}
