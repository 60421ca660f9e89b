import { createHash } from 'node:crypto'

/** What models accept. */
const MAX_LENGTH = 64
const DIGEST_LENGTH = 8

/** The name under which the agent offers a server's tool, and `enabled_tools` picks it: `server__tool`. */
export function toolName(server: string, tool: string): string {
  const name = `${clean(server)}__${clean(tool)}`
  if (name.length <= MAX_LENGTH) return name
  // Long names that begin alike must stay apart.
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH)
  return `${name.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}_${digest}`
}

/** A name in the characters that models accept. */
export function clean(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_')
}
