import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { SERVER } from '@agent-task-service/engine/more-tools'
import { idempotencyKey } from '@agent-task-service/engine/tool'
import { isObject, membersOf, textIn } from '@agent-task-service/wire/untrusted'
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { resultText } from './tool-result.ts'
import { jsonOf, readSchema, type ToolSchema } from './tool-schema.ts'

/** What a tool needs of its server, which outlives each connection. */
export interface ToolServer {
  readonly name: string
  /** Whether there is no connection. */
  readonly isAway: boolean
  /** Whether a tool of this name, as the server has it, is one of those that `mcp.json` lists. */
  isListed(tool: string): boolean
  /** Calls a tool, given as the server defines it. */
  call(
    tool: RemoteTool,
    args: object,
    options: { readonly idempotencyKey: string; readonly signal?: AbortSignal | undefined },
  ): Promise<CallToolResult>
}

interface RemoteTool {
  readonly name: string
  readonly inputSchema: ToolSchema['schema']
}

export interface ToolList {
  /** Those that can be offered, as tools of this agent. */
  readonly tools: readonly StructuredToolInterface[]
  /** Those of them of whose schemas something was left out. */
  readonly repaired: readonly OfferedTool[]
  /** The server's other tools. */
  readonly refused: readonly RefusedTool[]
  /** Names of all its tools, as it has them. */
  readonly names: readonly string[]
  /** What became of each definition, by its digest. */
  readonly verdicts: ReadonlyMap<string, Verdict>
}

export const EMPTY_LIST: ToolList = {
  tools: [],
  repaired: [],
  refused: [],
  names: [],
  verdicts: new Map(),
}

type Verdict = OfferedTool | RefusedTool['reason']

interface OfferedTool {
  readonly tool: StructuredToolInterface
  readonly leftOut: ToolSchema['leftOut']
}

interface RefusedTool {
  readonly name: string
  /** In our own words, since the server's may hold anything. */
  readonly reason:
    | 'bad definition'
    | 'runs only as a task'
    | 'schema too long'
    | 'duplicate name'
    | 'too many tools'
}

/** Maximum number of tools examined, so that an endless list stays cheap. */
const MAX_EXAMINED = 1000
/** Maximum number of tools read from a page. */
const MAX_ON_PAGE = 10_000
/** OpenAI's limit. */
const MAX_DESCRIPTION_LENGTH = 1024
const MAX_PAGES = 50
const PAGE_TIMEOUT_MS = 30_000

const page = z.object({ setAside: z.array(z.unknown()), nextCursor: z.unknown().optional() })

const hint = z.boolean().optional().catch(undefined)

const listed = z.object({
  name: z.string().min(1),
  // What is of another form counts as absent.
  description: z.string().catch(''),
  inputSchema: z.unknown().optional(),
  annotations: z
    .object({ readOnlyHint: hint, idempotentHint: hint, idempotencyKeyHint: hint, openWorldHint: hint })
    .catch({})
    .default({}),
  execution: z.object({ taskSupport: z.unknown() }).optional().catch(undefined),
})

/**
 * A page of a list with the tools where the client does not check them, since it refuses a whole list for one bad definition.
 *
 * @param result whatever a server gives
 */
export function listResult(result: unknown): object {
  const { tools, nextCursor } = isObject(result) ? result : { tools: result }
  const setAside = tools === null ? [] : Array.isArray(tools) ? tools.slice(0, MAX_ON_PAGE) : tools
  // What tells that there is more is told as it came.
  const hasMore = typeof nextCursor === 'number' || textIn(nextCursor) !== undefined
  return { setAside, ...(hasMore && { nextCursor }), ttlMs: 0, cacheScope: 'private', tools: [] }
}

/**
 * The usable tools among those a server lists, which may be anything. A definition that was in the earlier list is the same
 * tool again.
 *
 * @throws the client's error if listing fails
 */
export async function listTools(client: Client, server: ToolServer, earlier: ToolList): Promise<ToolList> {
  const collected = new CollectedTools(server, earlier)
  let cursor: unknown
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const request = {
      method: 'tools/list' as const,
      params: cursor === undefined ? {} : { cursor: cursor as string },
    }
    const result = await client.request(request, page, { timeout: PAGE_TIMEOUT_MS })
    await collected.addAll(result.setAside)
    cursor = result.nextCursor
    if (cursor === undefined || collected.isFull) break
  }
  return collected.list
}

/** Whether two lists of a server say the same. */
export function areSame(one: ToolList, other: ToolList): boolean {
  const isSame =
    one.tools.length === other.tools.length && one.tools.every((tool, at) => tool === other.tools[at])
  return isSame && JSON.stringify(one.refused) === JSON.stringify(other.refused)
}

class CollectedTools {
  readonly #server: ToolServer
  readonly #earlier: ToolList
  readonly #offered = new Map<string, OfferedTool>()
  readonly #refused: RefusedTool[] = []
  readonly #names: string[] = []
  readonly #verdicts = new Map<string, Verdict>()
  #examined = 0

  constructor(server: ToolServer, earlier: ToolList) {
    this.#server = server
    this.#earlier = earlier
  }

  get list(): ToolList {
    const offered = [...this.#offered.values()]
    return {
      tools: offered.map(({ tool }) => tool),
      repaired: offered.filter(({ leftOut }) => leftOut.length > 0),
      refused: this.#refused,
      names: this.#names,
      verdicts: this.#verdicts,
    }
  }

  get isFull(): boolean {
    return this.#examined >= MAX_EXAMINED
  }

  /** Lets others have their turn between the tools, since one takes milliseconds. */
  async addAll(definitions: readonly unknown[]): Promise<void> {
    for (const [index, definition] of definitions.entries()) {
      if (this.isFull) {
        for (const left of definitions.slice(index)) this.#refuse(ownNameOf(left), 'too many tools')
        return
      }
      this.#examined += 1
      this.#add(definition)
      await turn()
    }
  }

  #add(definition: unknown): void {
    const name = ownNameOf(definition)
    this.#names.push(name)
    if (!this.#server.isListed(name)) return
    const verdict = this.#verdictOn(definition)
    if (typeof verdict === 'string') this.#refuse(name, verdict)
    else if (this.#offered.has(verdict.tool.name)) this.#refuse(name, 'duplicate name')
    else this.#offered.set(verdict.tool.name, verdict)
  }

  #refuse(ownName: string, reason: RefusedTool['reason']): void {
    this.#refused.push({ name: toolName(this.#server.name, ownName), reason })
  }

  #verdictOn(definition: unknown): Verdict {
    const { data } = listed.safeParse(definition)
    if (!data) return 'bad definition'
    // To be polled later: it cannot be called.
    if (data.execution?.taskSupport === 'required') return 'runs only as a task'
    const digest = createHash('sha256').update(jsonOf(data)).digest('base64url')
    const verdict = this.#earlier.verdicts.get(digest) ?? toolOf(data, this.#server) ?? 'schema too long'
    this.#verdicts.set(digest, verdict)
    return verdict
  }
}

function toolOf(
  { name: remoteName, description, inputSchema, annotations }: z.infer<typeof listed>,
  server: ToolServer,
): OfferedTool | undefined {
  const read = readSchema(inputSchema)
  if (!read) return undefined
  const { schema, leftOut } = read
  const remote: RemoteTool = { name: remoteName, inputSchema: schema }
  const run = async (args: unknown, runtime: ToolRunnableConfig) => {
    const options = { signal: runtime.signal, idempotencyKey: idempotencyKey(runtime) }
    return resultText(await server.call(remote, { ...(args as object) }, options))
  }
  const made = tool(run, {
    name: toolName(server.name, remoteName),
    description: description.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed(),
    // The model sees the server's schema, and the server checks the arguments. We do not: a pattern in the schema could
    // block the process.
    schema: z.any().meta(schema),
    metadata: {
      ...annotations,
      // A tool not declared read-only may change something.
      readOnlyHint: annotations.readOnlyHint === true,
      readOnlyHintAssumed: annotations.readOnlyHint === undefined,
    },
  })
  Object.defineProperties(made, {
    [SERVER]: { value: server },
    isAway: { get: () => server.isAway },
  })
  return { tool: made, leftOut }
}

function ownNameOf(definition: unknown): string {
  return textIn(membersOf(definition).name) ?? ''
}

/** Longest tool name that models accept. */
export const MAX_NAME_LENGTH = 64
const DIGEST_LENGTH = 8

/** The name of a server's tool for the model and in `enabled_tools`: `server__tool`. */
function toolName(server: string, tool: string): string {
  const name = `${clean(server)}__${clean(tool)}`
  if (name.length <= MAX_NAME_LENGTH) return name
  // Keeps long names with the same beginning distinct.
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH)
  return `${name.slice(0, MAX_NAME_LENGTH - DIGEST_LENGTH - 1)}_${digest}`
}

/** Replaces the characters that models do not accept in a name. */
export function clean(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_')
}
