import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { Ajv } from 'ajv'
import { z } from 'zod'
import { toolName } from './tool-name.ts'

/** JSON Schema of an object. */
type JsonSchema = Readonly<Record<string, unknown>>

/** A server's tool that can be offered. */
export interface ListedTool {
  /** The name shown to the model. */
  readonly name: string
  /** The server's name for it. */
  readonly remoteName: string
  readonly description: string
  readonly schema: JsonSchema
  /** The server's annotations. */
  readonly hints: Readonly<Record<string, boolean | undefined>>
}

export interface ToolList {
  readonly tools: readonly ListedTool[]
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

const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

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
 * The usable tools among those a server lists, which may be anything.
 *
 * @throws the client's error if listing fails
 */
export async function listTools(client: Client, server: string): Promise<ToolList> {
  const tools = new Map<string, ListedTool>()
  let examined = 0
  const refused: RefusedTool[] = []
  let cursor: string | undefined
  const check = schemaCheck()
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const request = { method: 'tools/list' as const, params: cursor === undefined ? {} : { cursor } }
    const result = await client.request(request, page, { timeout: PAGE_TIMEOUT_MS })
    for (const given of result.tools) {
      const hasRoom = tools.size < MAX_TOOLS && examined < MAX_EXAMINED
      const tool = hasRoom ? usable(given, server, check) : 'too many tools'
      examined += 1
      if (typeof tool === 'string') refused.push({ name: nameOf(given, server), reason: tool })
      else if (tools.has(tool.name)) refused.push({ name: tool.name, reason: 'duplicate name' })
      else tools.set(tool.name, tool)
    }
    cursor = result.nextCursor
    if (cursor === undefined || tools.size === MAX_TOOLS || examined > MAX_EXAMINED) break
  }
  return { tools: [...tools.values()], refused }
}

function usable(
  given: unknown,
  server: string,
  check: ReturnType<typeof schemaCheck>,
): ListedTool | RefusedTool['reason'] {
  const { data } = listed.safeParse(given)
  if (!data) return 'bad definition'
  const schema = check(data.inputSchema)
  if (!schema) return 'bad schema'
  const { name: remoteName, description, annotations } = data
  const cut = description.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()
  // A tool not declared read-only may change something.
  const hints = { ...annotations, readOnlyHint: annotations.readOnlyHint === true }
  return { name: toolName(server, remoteName), remoteName, description: cut, schema, hints }
}

function nameOf(given: unknown, server: string): string {
  const { data } = z.object({ name: z.string() }).safeParse(given)
  return toolName(server, data?.name ?? '')
}

/**
 * Creates a check for the schemas of tools' arguments. A single bad schema makes a provider refuse the whole request, and
 * with it the run, so only valid JSON Schemas of an object may pass.
 *
 * @returns a function that returns the schema for the model, or `undefined` if it is unusable
 */
function schemaCheck(): (schema: Readonly<Record<string, unknown>>) => JsonSchema | undefined {
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, logger: false })
  return ({ $schema: _dialect, $id: _id, ...schema }) => {
    if (schema.type !== 'object') return undefined
    try {
      if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) return undefined
      ajv.compile(schema)
    } catch {
      return undefined
    }
    return asProvidersTakeIt(schema)
  }
}

/** OpenAI accepts no combinators at the top level and no object without properties. The server still checks what this drops. */
function asProvidersTakeIt(schema: Record<string, unknown>): JsonSchema {
  const { anyOf: _any, oneOf: _one, allOf: _all, not: _not, enum: _enum, ...rest } = schema
  return { properties: {}, ...rest }
}
