import type { StructuredToolInterface } from '@langchain/core/tools'
import type { ModelWithFallbacks } from './model/model-with-fallbacks.ts'
import type { Limits } from './run/budget.ts'
import { RunFailure } from './run/failure.ts'
import type { AgentContext } from './state.ts'

/** What the graph is made of: the same for every run. */
export interface AgentParts {
  /** The models of `model/models.ts` as one. */
  readonly model: ModelWithFallbacks
  /** Always the same array: its content changes as MCP servers come and go. */
  readonly tools: readonly StructuredToolInterface[]
  /** Where the request brings no other. */
  readonly systemPrompt: string
  readonly limits: Limits
}

const SETTINGS = ['system_prompt', 'max_tokens', 'enabled_tools']

/**
 * The settings of the run.
 *
 * @throws {RunFailure} for settings under `configurable`, where nobody would read them
 */
export function settingsOf(config: {
  readonly context?: AgentContext | undefined
  readonly configurable?: Record<string, unknown>
}): AgentContext {
  const misplaced = SETTINGS.filter(name => config.configurable?.[name] !== undefined)
  if (misplaced.length > 0) {
    const message = `expected ${misplaced.join(' and ')} in context, got ${misplaced.length > 1 ? 'them' : 'it'} under configurable`
    throw new RunFailure('invalid_settings', message)
  }
  return config.context ?? {}
}

/** The agent's limits with the run's own cap on generated tokens. */
export function limitsFor({ limits }: AgentParts, { max_tokens }: AgentContext): Limits {
  return { ...limits, maxOutputTokens: max_tokens ?? limits.maxOutputTokens }
}
