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
