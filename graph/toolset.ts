import { z } from 'zod'
import type { JsonSchema, Tool } from '../tools/tool.ts'

/** A tool as OpenAI's chat completions take it: name, description and JSON Schema of the arguments. */
export interface ToolDefinition {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: Record<string, unknown>
  }
}

/** Call options that every model here understands, besides LangChain's own. */
export interface AskOptions {
  /** Tools the model may call, in OpenAI's format; absent or empty: none. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** Tokens this call may generate; absent: the provider's limit. */
  readonly maxTokens?: number | undefined
}

/** A tool that cannot be offered as it is. `message` names it, and says what was expected; it is fit to be shown. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError'
}

/** Longest time that a timer can hold, in milliseconds. */
const LONGEST_TIME_LIMIT_MS = 2 ** 31 - 1

/** The tools of an agent or of one run. Schemas are converted once, when the agent is made. */
export class Toolset {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #definitions: ReadonlyMap<string, ToolDefinition>

  private constructor(tools: ReadonlyMap<string, Tool>, definitions: ReadonlyMap<string, ToolDefinition>) {
    this.#tools = tools
    this.#definitions = definitions
  }

  /** @throws {ToolDefinitionError} for two tools of one name, or one that no model would accept. */
  static of(tools: readonly Tool[]): Toolset {
    return new Toolset(new Map(), new Map()).with(tools)
  }

  /**
   * These tools and more.
   *
   * @throws {ToolDefinitionError} as `of` does
   */
  with(tools: readonly Tool[]): Toolset {
    const all = new Map(this.#tools)
    const definitions = new Map(this.#definitions)
    for (const tool of tools) {
      if (all.has(tool.name)) throw new ToolDefinitionError(`two tools are named "${tool.name}"`)
      definitions.set(tool.name, define(tool))
      all.set(tool.name, tool)
    }
    return new Toolset(all, definitions)
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()]
  }

  get definitions(): readonly ToolDefinition[] {
    return [...this.#definitions.values()]
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /** Names that are not in this set. */
  unknown(names: readonly string[]): readonly string[] {
    return names.filter(name => !this.#tools.has(name))
  }

  /** The tools of these names; `undefined`: all of them. */
  only(names: readonly string[] | undefined): Toolset {
    if (names === undefined) return this
    const wanted = new Set(names)
    const keep = <Value>(all: ReadonlyMap<string, Value>) =>
      new Map([...all].filter(([name]) => wanted.has(name)))
    return new Toolset(keep(this.#tools), keep(this.#definitions))
  }
}

function define({ name, description, schema, timeLimitMs = 1 }: Tool): ToolDefinition {
  const wrong = (expected: string) => new ToolDefinitionError(`the tool ${JSON.stringify(name)}: ${expected}`)
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw wrong('expected a name of 1 to 64 letters, digits, _ or -')
  if (!(timeLimitMs > 0 && timeLimitMs <= LONGEST_TIME_LIMIT_MS))
    throw wrong(`expected a timeLimitMs of 1 to ${LONGEST_TIME_LIMIT_MS}, got ${timeLimitMs}`)
  const { $schema: _, ...parameters } = jsonSchema(schema, wrong)
  if (parameters.type !== 'object')
    throw wrong(`expected a schema of an object, got one of ${JSON.stringify(parameters.type ?? 'anything')}`)
  return { type: 'function', function: { name, description, parameters } }
}

function jsonSchema(schema: Tool['schema'], wrong: (expected: string) => Error): JsonSchema {
  if (!(schema instanceof z.ZodType)) return schema
  try {
    return z.toJSONSchema(schema, { io: 'input' })
  } catch {
    throw wrong('expected a schema that JSON Schema can express: no dates, big integers, maps or functions')
  }
}
