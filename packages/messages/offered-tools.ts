import { membersOf, textIn } from '@agent-task-service/wire/untrusted'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import type { ArgumentsSchema } from './arguments.ts'

/** A tool as the model was offered it. */
export interface OfferedTool {
  readonly name: string
  readonly schema: ArgumentsSchema
}

/** `functions.calculator:0`, `default_api.calculator`, `tools/calculator()`: no address, and no sentence. */
const DECORATED = /^(?:[\p{L}_][\p{L}\p{N}_-]*[.:/])*([\p{L}_][\p{L}\p{N}_ -]*?)(?::\d+)?(?:\(\))?$/u
/** Longest name that is compared with those of the tools, in characters. */
const MAX_NAME_LENGTH = 200

/** The tools that a model was offered, found by whatever it makes of their names. */
export class OfferedTools {
  readonly #tools: ReadonlyMap<string, BindToolsInput>
  /** By simplified name; `undefined` if several have it. */
  readonly #simplified = new Map<string, string | undefined>()

  /** @param tools in any form that LangChain binds */
  constructor(tools: readonly BindToolsInput[]) {
    this.#tools = new Map(tools.map(tool => [nameOf(tool), tool]))
    for (const name of this.#tools.keys()) {
      const form = simplified(name)
      this.#simplified.set(form, this.#simplified.has(form) ? undefined : name)
    }
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()]
  }

  anyBeginsWith(start: string): boolean {
    return this.names.some(name => name.startsWith(start))
  }

  /** Whether the name of one may begin like this, however it is decorated. */
  anyResembles(start: string): boolean {
    const begins = simplified(start)
    return [...this.#simplified.keys()].some(name => name.startsWith(begins))
  }

  /** The first one whose name is a word of a text; "" if none is. */
  namedIn(text: string): string {
    const isWord = (at: number, end: number) =>
      !/[\p{L}\p{N}]/u.test((text[at - 1] ?? '') + (text[end] ?? ''))
    const stands = (name: string) => {
      let at = text.indexOf(name)
      while (at >= 0 && !isWord(at, at + name.length)) at = text.indexOf(name, at + 1)
      return at >= 0
    }
    return this.names.find(stands) ?? ''
  }

  /**
   * The tool that a model means: by its name, or by a name that is decorated (a namespace before it, a control token or a
   * number behind it, other case or other separators) and fits exactly one.
   */
  find(written: string): OfferedTool | undefined {
    const name = this.#tools.has(written) ? written : this.#undecorated(written)
    const tool = name === undefined ? undefined : this.#tools.get(name)
    if (name === undefined || tool === undefined) return undefined
    return {
      name,
      get schema() {
        // Nothing is known of a tool in a form of a provider's own.
        return membersOf(wireTool(tool).function).parameters ?? {}
      },
    }
  }

  /** The name under which it was offered; as written, if it was not. */
  nameFor(written: string): string {
    return this.find(written)?.name ?? written
  }

  #undecorated(written: string): string | undefined {
    if (written.length > MAX_NAME_LENGTH) return undefined
    const [bare = ''] = written.split(/<[|｜]/)
    const [, last = ''] = DECORATED.exec(bare.trim()) ?? []
    return this.#simplified.get(simplified(bare)) ?? this.#simplified.get(simplified(last))
  }
}

/** In lower case, with `_` for whatever is neither letter nor digit. */
function simplified(name: string): string {
  return name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]/u)
    .filter(Boolean)
    .join('_')
}

/** The name of a tool in any form that LangChain binds. */
export function nameOf(tool: BindToolsInput): string {
  const { name, function: called } = tool as { readonly name?: unknown; function?: { name?: unknown } }
  return textIn(called?.name) ?? textIn(name) ?? ''
}

/** A tool as OpenAI's APIs are sent it. */
export interface WireTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: object }
}

const wireTools = new WeakMap<object, WireTool>()

/** A tool in any form that LangChain binds, made once; one in a form of a provider's own stays as it is. */
export function wireTool(tool: BindToolsInput): WireTool {
  const known = wireTools.get(tool)
  if (known) return known
  const sent = convertToOpenAITool(tool as never) as WireTool
  const { $schema, ...parameters } = membersOf(membersOf(sent.function).parameters)
  // The name of its dialect tells a model nothing.
  const made = $schema === undefined ? sent : { ...sent, function: { ...sent.function, parameters } }
  wireTools.set(tool, made)
  return made
}
