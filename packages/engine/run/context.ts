import { runSettings } from '@agent-task-service/wire/contract'
import { z } from 'zod'
import { RunFailure } from '../failures/run-failure.ts'

const { system_prompt, max_tokens, enabled_tools } = runSettings

/** Settings of one run that every agent has: `config` in `POST /run`, `context` in LangGraph. */
export const RunContext = z.object({
  system_prompt: system_prompt.type.optional().describe(system_prompt.description),
  max_tokens: max_tokens.type.optional().describe(max_tokens.description),
  enabled_tools: enabled_tools.type.optional().describe(enabled_tools.description),
})

export type RunContext = z.infer<typeof RunContext>
/** The settings of an agent's runs: those that every agent has, and its own. */
export type ContextSchema = z.ZodObject<(typeof RunContext)['shape']>

/** What a node or a tool is called with, as far as it concerns a run's settings. */
export interface ContextConfig {
  readonly context?: RunContext | undefined
  readonly configurable?: Record<string, unknown> | undefined
}

/**
 * The context of the run.
 *
 * @param schema fills in the defaults if the graph was called without a context
 * @throws {RunFailure} for members under `configurable`, which nothing reads
 */
export function readContext<Schema extends ContextSchema>(
  config: ContextConfig,
  schema: Schema,
): z.output<Schema> {
  const misplaced = Object.keys(RunContext.shape).filter(name => config.configurable?.[name] !== undefined)
  if (misplaced.length > 0) {
    const message = `expected ${misplaced.join(' and ')} in context, got ${misplaced.length > 1 ? 'them' : 'it'} under configurable`
    throw new RunFailure('invalid_context', message)
  }
  return (config.context ?? schema.parse({})) as z.output<Schema>
}

/**
 * The schema of a run's context for Studio's form, with the prompt in use and the available tools filled in.
 *
 * @param nodes those that read the prompt; Studio shows it there too
 */
export function contextSchemaFor<Schema extends ContextSchema>(
  schema: Schema,
  agent: { readonly systemPrompt: string; readonly tools: readonly { readonly name: string }[] },
  nodes: readonly string[] = ['plan', 'respond'],
): Schema {
  const { systemPrompt, tools } = agent
  const places = nodes.length > 0 ? { langgraph_nodes: nodes } : {}
  const prompt = { default: systemPrompt, ...places, langgraph_type: 'prompt' }
  const known = z.string().refine(name => tools.some(tool => tool.name === name), {
    error: () => `expected one of ${tools.map(({ name }) => name).join(', ')}`,
  })
  return schema.extend({
    system_prompt: RunContext.shape.system_prompt.meta(prompt),
    enabled_tools: z
      .array(known.meta({ enum: tools.map(({ name }) => name) }))
      .optional()
      .describe(enabled_tools.description),
  }) as unknown as Schema
}
