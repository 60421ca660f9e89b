/** An MCP server that is a program, reached through its standard input and output. */
export interface StdioServer {
  readonly transport: 'stdio'
  /** The name in `mcp.json`, and the prefix of its tools' names. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Its environment, in addition to PATH, HOME and the like. */
  readonly env: Readonly<Record<string, string>>
  /** Absent: the agent's working directory. */
  readonly cwd?: string | undefined
}

/** An MCP server reached by streamable HTTP. */
export interface HttpServer {
  readonly transport: 'http'
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type McpServerSettings = StdioServer | HttpServer
