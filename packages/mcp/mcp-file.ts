import { readFileSync } from 'node:fs'
import type { RawVariables } from '@agent-task-service/engine/more-tools'
import { headerRecord, httpUrl } from '@agent-task-service/engine/settings'
import { z } from 'zod'

interface NamedServer {
  /** The name in `mcp.json`, and the prefix of its tools' names. */
  readonly name: string
  /** The tools that are offered, by the names that the server gives them; `*` in one stands for any characters. Absent: all. */
  readonly tools?: readonly string[] | undefined
}

/** An MCP server that is a program, reached through its standard input and output. */
export interface StdioServer extends NamedServer {
  readonly transport: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** Its environment, in addition to PATH, HOME and the like. */
  readonly env: Readonly<Record<string, string>>
  /** Absent: the agent's working directory. */
  readonly cwd?: string | undefined
}

/** An MCP server reached by streamable HTTP. */
export interface HttpServer extends NamedServer {
  readonly transport: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type McpServerSettings = StdioServer | HttpServer

/** The contents of `mcp.json`, and its problems, one per line and without values that may be secret. */
interface McpFile {
  readonly servers: readonly McpServerSettings[]
  /** The variables that it refers to, with their values. */
  readonly variables: Readonly<Record<string, string>>
  readonly problems: readonly string[]
}

/**
 * Reads `mcp.json`, in the format of other MCP clients: `{"mcpServers": {"<name>": {…}}}` with `command`, `args`, `env`
 * and `cwd` for a program, or `url` and `headers` for streamable HTTP, and `tools` for either. Other members are ignored.
 * `${NAME}` in a value is replaced by that environment variable.
 */
export function readMcpFile(path: string, variables: RawVariables): McpFile {
  const content = readJson(path)
  if (typeof content === 'string') return { servers: [], variables: {}, problems: [`${path}: ${content}`] }
  const used: Record<string, string> = {}
  const { data, error } = mcpFile(filledText(variables, used)).safeParse(content.json)
  const problems = error?.issues.map(issue => {
    const message = issue.message.replace('Invalid input: ', '')
    return [path, issue.path.join('.'), message].filter(part => part !== '').join(': ')
  })
  const servers = Object.entries(data?.mcpServers ?? {}).map(([name, server]) => ({ name, ...server }))
  return { servers, variables: used, problems: problems ?? [] }
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

/** A string with its references to variables filled in; each variable's value is added to `used`. */
function filledText(variables: RawVariables, used: Record<string, string>) {
  return z.string().transform((text, context) =>
    text.replace(/\$\{([^}]*)\}?/g, (reference, name: string) => {
      const value = variables[name]?.trim() ?? ''
      const isName = /^\$\{[A-Za-z_]\w*\}$/.test(reference)
      if (!isName) context.addIssue('expected a variable name in the braces, got something else')
      else if (value === '') context.addIssue(`expected the environment variable ${name}, got nothing`)
      else used[name] = value
      return value
    }),
  )
}

/** Zod's own messages name the kind of a value, never the value. */
function mcpFile(text: ReturnType<typeof filledText>) {
  const texts = z.record(z.string(), text)
  const tools = z.array(text).optional()
  const program = z.object({
    command: text.refine(command => command !== '', 'expected a program, got an empty string'),
    args: z.array(text).default([]),
    env: texts.default({}),
    cwd: text.optional(),
    tools,
  })
  const address = z.object({
    type: z
      .enum(
        ['http', 'streamable-http', 'streamableHttp'],
        'expected "http" (streamable HTTP; SSE alone is not supported), since there is a url',
      )
      .optional(),
    url: text.pipe(httpUrl),
    headers: texts.pipe(headerRecord).default({}),
    tools,
  })
  const stdio = program.transform(settings => ({ transport: 'stdio' as const, ...settings }))
  const http = address.transform(({ type: _, ...settings }) => ({ transport: 'http' as const, ...settings }))
  const server = z.record(z.string(), z.unknown(), 'expected an object').transform((entry, context) => {
    if ('command' in entry === 'url' in entry) {
      context.addIssue(`expected either a command or a url, got ${'url' in entry ? 'both' : 'neither'}`)
      return z.NEVER
    }
    const parsed = 'command' in entry ? stdio.safeParse(entry) : http.safeParse(entry)
    for (const issue of parsed.error?.issues ?? []) context.addIssue({ ...issue })
    return parsed.data ?? z.NEVER
  })
  return z.object({
    mcpServers: z.record(z.string(), server, 'expected an object with a member for each server'),
  })
}
