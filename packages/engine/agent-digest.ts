import { createHash } from 'node:crypto'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'

/**
 * A digest of what an agent's answers depend on, so that none is replayed to another agent: its prompt, the names of its
 * models, and its own tools. MCP servers come and go, so theirs are not in it.
 *
 * @returns 43 characters
 */
export function agentDigest(
  systemPrompt: string,
  models: readonly string[],
  ownTools: readonly StructuredToolInterface[],
): string {
  const tools = ownTools.map(({ name, description, schema }) => [name, description, toJsonSchema(schema)])
  return createHash('sha256')
    .update(JSON.stringify([systemPrompt, models, tools]))
    .digest('base64url')
}
