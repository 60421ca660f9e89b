import { createHash } from 'node:crypto'

/** Longest tool name that models accept. */
const MAX_LENGTH = 64
const DIGEST_LENGTH = 8

/** The name of a server's tool for the model and in `enabled_tools`: `server__tool`. */
export function toolName(server: string, tool: string): string {
  const name = `${clean(server)}__${clean(tool)}`
  if (name.length <= MAX_LENGTH) return name
  // Keeps long names with the same beginning distinct.
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH)
  return `${name.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}_${digest}`
}

/** Replaces the characters that models do not accept in a name. */
function clean(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_')
}
