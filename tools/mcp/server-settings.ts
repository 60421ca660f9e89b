/** An MCP server that is a program: it speaks over its standard input and output. */
export interface StdioServer {
  readonly transport: 'stdio'
  /** As `mcp.json` names it; its tools bear it in their names. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** All it gets of an environment, besides PATH, HOME and the like. */
  readonly env: Readonly<Record<string, string>>
  /** Absent: where the agent runs. */
  readonly cwd?: string | undefined
}

/** An MCP server at an address: streamable HTTP. */
export interface HttpServer {
  readonly transport: 'http'
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export type McpServerSettings = StdioServer | HttpServer
