import { createHash } from 'node:crypto'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import type { GraphParts } from './graph-parts.ts'

/**
 * A digest of what an agent's answers depend on, so that none is replayed to another agent: its prompt, the names of its
 * models, and its own tools. MCP servers come and go, so theirs are not in it.
 *
 * @returns 43 characters
 */
export function agentDigest({
  systemPrompt,
  model,
  ownTools,
}: Pick<GraphParts, 'systemPrompt' | 'model'> & { readonly ownTools: GraphParts['tools'] }): string {
  const models = model.models.map(({ entry }) => entry.name)
  const tools = ownTools.map(({ name, description, schema }) => [name, description, toJsonSchema(schema)])
  return createHash('sha256')
    .update(JSON.stringify([systemPrompt, models, tools]))
    .digest('base64url')
}
