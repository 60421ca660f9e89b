import type { z } from 'zod'
import type { AgentGraph, GraphParts, LangChainAgent } from '../graph/graph-parts.ts'
import type { ModelEntry, ModelSettings } from '../model/model-entry.ts'
import type { ContextSchema } from '../run/context.ts'
import type { AgentTool } from '../tools/tool.ts'
import type { MoreTools } from './more-tools.ts'
import type { Observability } from './observe.ts'
import type { Share } from './share.ts'

/** The agent's own variables of the environment, by name. */
export type Variables = z.ZodObject

/** A variable that must be set, and the reason. */
export type Needed<Name extends string = string> = readonly [name: Name, why: string]

/** Where an agent reports what concerns no single run. */
export interface AgentLog {
  info(message: string): void
  warn(fields: object, message: string): void
}

/** An agent, as its owner writes it: what the engine serves over HTTP and in LangGraph Studio. */
export interface AgentDefinition<Own extends Variables = Variables, Parts extends GraphParts = GraphParts> {
  /**
   * Adds what nodes need to the engine's parts. Called once. If the result has `Symbol.asyncDispose` or `Symbol.dispose`, that
   * is called after the last run has ended, and so is a tool's; it has 5 s.
   */
  parts?(parts: GraphParts, settings: z.output<Own>): Parts
  /** Compiles the graph. Called once; in Studio again when the tools change. */
  graph(parts: NoInfer<Parts>, settings: z.output<Own>): AgentGraph | LangChainAgent
  /** The settings of one run: those of `RunContext`, and the agent's own. */
  readonly context: ContextSchema
  /** Used unless the operator or the request gives another one. */
  readonly systemPrompt: string
  /** The models, in order: each is the fallback for the ones before it. */
  models(settings: ModelSettings): Promise<readonly ModelEntry[]>
  /** By any name: they are offered in the order of these names. */
  readonly tools: Readonly<Record<string, AgentTool<z.output<Own>>>>
  /** Present names by former ones, which callers may still send in `enabled_tools`. */
  readonly renamedTools?: ReadonlyMap<string, string>
  /** Through what replicas share tasks: `redis()`. */
  readonly share?: Share<z.ZodObject, object>
  /** What reports requests and runs to other systems: `[openTelemetry()]`. */
  readonly observe?: readonly Observability<z.ZodObject, object>[]
  /** Where further tools come from, such as MCP servers: `[mcp()]`. */
  readonly moreTools?: readonly MoreTools<z.ZodObject, object>[]
  /**
   * The agent's own variables of the environment, with defaults, checks and descriptions. What is declared with `secret()` is
   * masked in logs and replies.
   */
  readonly variables: Own
  /** Which variables must be set, given those that are. */
  needs?(variables: Readonly<Record<string, string | undefined>>): Iterable<Needed>
  /** Starts what needs other processes, before the permission to start any is dropped. */
  prepare?(): void
  /** Called once, when the process has its log. */
  onStart?(log: AgentLog): void
  /** What to load once the service listens, so that the first task need not wait for it. */
  warmUp?(tools: readonly string[], settings: ModelSettings): readonly (() => Promise<unknown>)[]
}

/**
 * Defines an agent. Only checks types.
 *
 * @example
 * export const agent = defineAgent({ graph, context, systemPrompt, models, tools, variables: z.object({}) })
 */
export function defineAgent<Own extends Variables, Parts extends GraphParts = GraphParts>(
  definition: AgentDefinition<Own, Parts>,
): AgentDefinition {
  return definition as unknown as AgentDefinition
}
