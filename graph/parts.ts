import type { GraphParts } from '@agent-task-service/engine'

/** What the nodes are built from; the same for every run. A client, a store or a secret of your own goes here. */
export interface AgentParts extends GraphParts {}

/** The second argument holds the values of this agent's own variables, which src/config.ts declares. */
export function createParts(parts: GraphParts, _settings: object): AgentParts {
  return parts
}
