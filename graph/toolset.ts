import { z } from 'zod'
import type { Tool } from '../tools/tool.ts'

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

/** The tools of an agent or of one run. Schemas are converted once, when the agent is made. */
export class Toolset {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #definitions: ReadonlyMap<string, ToolDefinition>

  private constructor(tools: ReadonlyMap<string, Tool>, definitions: ReadonlyMap<string, ToolDefinition>) {
    this.#tools = tools
    this.#definitions = definitions
  }

  /** @throws {Error} for two tools of one name, or a name that models do not accept. */
  static of(tools: readonly Tool[]): Toolset {
    for (const [index, { name }] of tools.entries()) {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
        throw new Error(
          `expected a tool name of 1 to 64 letters, digits, _ or -, got ${JSON.stringify(name)}`,
        )
      }
      if (tools.findIndex(other => other.name === name) !== index)
        throw new Error(`two tools are named "${name}"`)
    }
    return new Toolset(
      new Map(tools.map(tool => [tool.name, tool])),
      new Map(tools.map(tool => [tool.name, define(tool)])),
    )
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

function define({ name, description, schema }: Tool): ToolDefinition {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  return { type: 'function', function: { name, description, parameters } }
}
