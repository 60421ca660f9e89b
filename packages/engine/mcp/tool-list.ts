import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import type { CallToolResult, Client, JSONRPCMessage } from '@modelcontextprotocol/client'
import { Ajv } from '@modelcontextprotocol/client/validators/ajv'
import { z } from 'zod'
import { idempotencyKey } from '../tool.ts'
import { hintsOf } from '../tools/tool-hints.ts'
import { toolName } from './tool-name.ts'
import { resultText } from './tool-result.ts'

/** Calls a tool, given as the server defines it. */
export type CallTool = (
  tool: RemoteTool,
  args: object,
  options: { readonly idempotencyKey: string; readonly signal?: AbortSignal | undefined },
) => Promise<CallToolResult>

export interface RemoteTool {
  readonly name: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
}

export interface ToolList {
  /** Those that can be offered, as tools of this agent. */
  readonly tools: readonly StructuredToolInterface[]
  /** The server's other tools. */
  readonly refused: readonly RefusedTool[]
}

export interface RefusedTool {
  readonly name: string
  /** In our own words, since the server's may hold anything. */
  readonly reason: 'bad definition' | 'bad schema' | 'duplicate name' | 'too many tools'
}

/** OpenAI accepts 128 in one request. */
export const MAX_TOOLS = 100
/** Maximum number of tools examined, so that an endless list stays cheap. */
const MAX_EXAMINED = 1000
/** OpenAI's limit. */
const MAX_DESCRIPTION_LENGTH = 1024
/** Longest schema, in characters of JSON, since it is sent with every request to the model. */
const MAX_SCHEMA_LENGTH = 20_000
const MAX_PAGES = 50
const PAGE_TIMEOUT_MS = 30_000

const page = z.object({ setAside: z.array(z.unknown()), nextCursor: z.string().optional() })

const hint = z.boolean().optional().catch(undefined)

const listed = z.object({
  name: z.string().min(1),
  description: z.string().default(''),
  inputSchema: z.record(z.string(), z.unknown()),
  // Bad hints do not justify refusing a tool.
  annotations: z
    .object({ readOnlyHint: hint, idempotentHint: hint, openWorldHint: hint })
    .catch({})
    .default({}),
  // A tool that runs only as an MCP task, to be polled later, cannot be called.
  execution: z.object({ taskSupport: z.enum(['optional', 'forbidden']).optional() }).optional(),
})

/**
 * Moves listed tools to where the client does not check them, since it refuses a whole list for one bad definition.
 *
 * @param message changed in place, before the client reads it
 */
export function setToolsAside(message: JSONRPCMessage): void {
  if (!('result' in message) || !('tools' in message.result)) return
  const { result } = message
  message.result = { ...result, ttlMs: 0, cacheScope: 'private', tools: [], setAside: result.tools }
}

/**
 * The usable tools among those a server lists, which may be anything.
 *
 * @throws the client's error if listing fails
 */
export async function listTools(client: Client, server: string, call: CallTool): Promise<ToolList> {
  const collected = new CollectedTools(server, call)
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } }
    const result = await client.request(request, page, { timeout: PAGE_TIMEOUT_MS })
    for (const definition of result.setAside) collected.add(definition)
    cursor = result.nextCursor
    if (cursor === undefined || collected.isFull) break
  }
  return collected.list
}

/** Whether two lists say the same. */
export function areSame(one: ToolList, other: ToolList): boolean {
  return textOf(one) === textOf(other)
}

function textOf({ tools, refused }: ToolList): string {
  const offered = tools.map(tool => [tool.name, tool.description, toJsonSchema(tool.schema), hintsOf(tool)])
  return JSON.stringify([offered, refused])
}

class CollectedTools {
  readonly #server: string
  readonly #call: CallTool
  readonly #tools = new Map<string, StructuredToolInterface>()
  readonly #refused: RefusedTool[] = []
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, logger: false })
  #examined = 0

  constructor(server: string, call: CallTool) {
    this.#server = server
    this.#call = call
  }

  get list(): ToolList {
    return { tools: [...this.#tools.values()], refused: this.#refused }
  }

  get isFull(): boolean {
    return this.#tools.size === MAX_TOOLS || this.#examined > MAX_EXAMINED
  }

  add(definition: unknown): void {
    const hasRoom = this.#tools.size < MAX_TOOLS && this.#examined < MAX_EXAMINED
    this.#examined += 1
    const tool = hasRoom ? usable(definition, this.#server, this.#call, this.#ajv) : 'too many tools'
    if (typeof tool === 'string') this.#refused.push({ name: nameOf(definition, this.#server), reason: tool })
    else if (this.#tools.has(tool.name)) this.#refused.push({ name: tool.name, reason: 'duplicate name' })
    else this.#tools.set(tool.name, tool)
  }
}

function usable(
  definition: unknown,
  server: string,
  call: CallTool,
  ajv: InstanceType<typeof Ajv>,
): StructuredToolInterface | RefusedTool['reason'] {
  const { data } = listed.safeParse(definition)
  if (!data) return 'bad definition'
  const schema = usableSchema(data.inputSchema, ajv)
  if (!schema) return 'bad schema'
  const { name: remoteName, description, inputSchema, annotations } = data
  const remote: RemoteTool = { name: remoteName, inputSchema: { ...inputSchema, type: 'object' } }
  const run = async (args: unknown, runtime: ToolRunnableConfig) => {
    const options = { signal: runtime.signal, idempotencyKey: idempotencyKey(runtime) }
    return resultText(await call(remote, { ...(args as object) }, options))
  }
  return tool(run, {
    name: toolName(server, remoteName),
    description: description.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed(),
    // The model sees the server's schema, and the server checks the arguments. We do not: a pattern in the schema could
    // block the process.
    schema: z.any().meta(schema),
    // A tool not declared read-only may change something.
    metadata: {
      ...annotations,
      readOnlyHint: annotations.readOnlyHint === true,
      readOnlyHintAssumed: annotations.readOnlyHint === undefined,
    },
  })
}

function nameOf(definition: unknown, server: string): string {
  const { data } = z.object({ name: z.string() }).safeParse(definition)
  return toolName(server, data?.name ?? '')
}

/**
 * The schema for the model, or `undefined` unless it is a valid JSON Schema of an object: a single bad one makes a provider
 * refuse the whole request, and with it the run. OpenAI accepts no combinators at the top level and no object without
 * properties; the server still checks what this drops.
 */
function usableSchema(
  { $schema: _dialect, $id: _id, id: _oldId, ...schema }: Readonly<Record<string, unknown>>,
  ajv: InstanceType<typeof Ajv>,
): Readonly<Record<string, unknown>> | undefined {
  if (schema.type !== 'object') return undefined
  try {
    if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) return undefined
    ajv.compile(schema)
  } catch {
    return undefined
  }
  const { anyOf: _any, oneOf: _one, allOf: _all, not: _not, enum: _enum, ...rest } = schema
  return { properties: {}, ...rest }
}
