/** A program: an MCP server for the protocol of 2026-07-28 alone. With `--both`, it speaks the older one too. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { echo, newServer } from './new-server.ts'

const tools = {
  echo,
  pid: () => process.pid,
  exit: () => process.exit(1),
  hang: () => new Promise(() => {}),
  grow: () => function grown() {},
}
serveStdio(
  newServer(() => tools),
  { legacy: process.argv.includes('--both') ? 'serve' : 'reject' },
)
