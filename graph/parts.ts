import type { StructuredToolInterface } from '@langchain/core/tools'
import type { ModelWithFallbacks } from './model/model-with-fallbacks.ts'
import type { Limits } from './run/budget.ts'
import { RunFailure } from './run/failure.ts'
import { AgentContext } from './state.ts'

/** What the graph is built from; the same for every run. */
export interface AgentParts {
  /** The models of `model/models.ts` as one. */
  readonly model: ModelWithFallbacks
  /** Always the same array; its contents change as MCP servers come and go. */
  readonly tools: readonly StructuredToolInterface[]
  /** Used unless the request brings its own. */
  readonly systemPrompt: string
  readonly limits: Limits
}

const MEMBERS = ['system_prompt', 'max_tokens', 'enabled_tools']

/**
 * The context of the run.
 *
 * @throws {RunFailure} for its members under `configurable`, which nothing reads
 */
export function contextOf(config: {
  readonly context?: AgentContext | undefined
  readonly configurable?: Record<string, unknown>
}): AgentContext {
  const misplaced = MEMBERS.filter(name => config.configurable?.[name] !== undefined)
  if (misplaced.length > 0) {
    const message = `expected ${misplaced.join(' and ')} in context, got ${misplaced.length > 1 ? 'them' : 'it'} under configurable`
    throw new RunFailure('invalid_context', message)
  }
  return config.context ?? AgentContext.parse({})
}

/** The agent's limits, with the request's cap on generated tokens if it has one. */
export function limitsFor({ limits }: AgentParts, { max_tokens }: Pick<AgentContext, 'max_tokens'>): Limits {
  return { ...limits, maxOutputTokens: max_tokens ?? limits.maxOutputTokens }
}
