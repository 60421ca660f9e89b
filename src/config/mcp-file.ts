import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { McpServerSettings } from '../../tools/mcp/server-settings.ts'
import { clean } from '../../tools/mcp/tool-name.ts'
import { httpUrl } from './http-url.ts'

/** The contents of `mcp.json`, and its problems, one per line and without values that may be secret. */
export interface McpFile {
  readonly servers: readonly McpServerSettings[]
  /** Values from the environment. */
  readonly secrets: readonly string[]
  readonly problems: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>
type Place = readonly PropertyKey[]

const text = z.string({ error: expectedOf('a string') })
const texts = z.record(z.string(), text, { error: expectedOf('an object of strings') })

const stdioServer = z
  .object({
    type: z.literal('stdio', { error: 'expected "stdio", since there is a command' }).optional(),
    command: text.min(1, { error: 'expected a program, got an empty string' }),
    args: z.array(text, { error: expectedOf('an array of strings') }).default([]),
    env: texts.default({}),
    cwd: text.optional(),
  })
  .transform(({ type: _, ...settings }) => settings)

const httpServer = z
  .object({
    type: z
      .enum(['http', 'streamable-http', 'streamableHttp'], {
        error: 'expected "http" (streamable HTTP; SSE alone is not supported), since there is a url',
      })
      .optional(),
    url: httpUrl,
    headers: texts
      .refine(isHeaders, { error: 'expected headers in ASCII, got something else (not shown)' })
      .default({}),
  })
  .transform(({ type: _, ...settings }) => settings)

/** Members we read of each server. Other clients read more; we ignore those. */
const MEMBERS: readonly string[] = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers']

const mcpFile = z.object(
  {
    mcpServers: z.record(z.string(), z.record(z.string(), z.unknown(), { error: expectedOf('an object') }), {
      error: expectedOf('an object with a member for each server'),
    }),
  },
  { error: expectedOf('an object') },
)

/**
 * Reads `mcp.json`, in the format of other MCP clients: `{"mcpServers": {"<name>": {…}}}` with `command`, `args`, `env`
 * and `cwd` for a program, or `url` and `headers` for streamable HTTP. Other members are ignored. `${NAME}` in a value
 * is replaced by that environment variable.
 */
export function readMcpFile(path: string, variables: Variables): McpFile {
  const content = readJson(path)
  if (typeof content === 'string') return { servers: [], secrets: [], problems: [`${path}: ${content}`] }
  const parsed = mcpFile.safeParse(content.json)
  const reader = new ServerReader(variables)
  for (const issue of parsed.error?.issues ?? []) reader.wrong(issue.path, issue.message)
  for (const [name, given] of Object.entries(parsed.data?.mcpServers ?? {})) reader.read(name, given)
  return {
    servers: reader.servers,
    secrets: [...reader.secrets],
    problems: reader.problems.map(problem => `${path}: ${problem}`),
  }
}

/** @returns the JSON, or what is wrong */
function readJson(path: string): { readonly json: unknown } | string {
  try {
    return { json: JSON.parse(readFileSync(path, 'utf8')) }
  } catch (error) {
    // The parser's message would quote the text.
    if (error instanceof SyntaxError) return 'expected JSON, got something else'
    return `expected a readable file, got ${(error as NodeJS.ErrnoException).code}`
  }
}

class ServerReader {
  readonly servers: McpServerSettings[] = []
  readonly secrets = new Set<string>()
  readonly problems: string[] = []
  readonly #variables: Variables

  constructor(variables: Variables) {
    this.#variables = variables
  }

  read(name: string, given: Readonly<Record<string, unknown>>): void {
    const place = ['mcpServers', name]
    const read = Object.entries(given).filter(([member]) => MEMBERS.includes(member))
    const server = this.#fill(Object.fromEntries(read), place) as typeof given
    const twin = this.servers.find(other => clean(other.name) === clean(name))
    if (twin) this.wrong(place, `expected a name that differs from "${twin.name}" in letters, digits, _ or -`)
    if ('command' in server === 'url' in server) {
      this.wrong(place, `expected either a command or a url, got ${'url' in server ? 'both' : 'neither'}`)
    } else if ('command' in server) {
      const { data, error } = stdioServer.safeParse(server)
      this.#wrongs(place, error)
      if (data) this.servers.push({ transport: 'stdio', name, ...data })
    } else {
      const { data, error } = httpServer.safeParse(server)
      this.#wrongs(place, error)
      if (data) this.servers.push({ transport: 'http', name, ...data })
    }
  }

  wrong(place: Place, problem: string): void {
    this.problems.push(place.length === 0 ? problem : `${place.join('.')}: ${problem}`)
  }

  #wrongs(place: Place, error: z.ZodError | undefined): void {
    for (const { path, message } of error?.issues ?? []) this.wrong([...place, ...path], message)
  }

  /** Fills in variables at any depth. */
  #fill(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#fillText(value, place)
    if (Array.isArray(value)) return value.map((item, index) => this.#fill(item, [...place, index]))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.#fill(member, [...place, name])]),
    )
  }

  #fillText(value: string, place: Place): string {
    return value.replace(/\$\{([^}]*)\}?/g, (reference, name: string) => {
      const filling = this.#variables[name]?.trim()
      if (!/^\$\{[A-Za-z_]\w*\}$/.test(reference)) {
        this.wrong(place, 'expected a variable name in the braces, got something else')
      } else if (!filling) {
        this.wrong(place, `expected the environment variable ${name}, got nothing`)
      } else this.secrets.add(filling)
      return filling ?? ''
    })
  }
}

function expectedOf(expected: string) {
  return ({ input }: { input?: unknown }) => `expected ${expected}, got ${kindOf(input)}`
}

/** The kind of a value, never the value itself. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Checked here because the error for a header that cannot be sent would quote it. */
function isHeaders(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).every(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e\t]*$/.test(value),
  )
}
