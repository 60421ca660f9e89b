import type { GraphTopology } from '@agent-task-service/wire/contract'
import type { AgentGraph } from './graph-parts.ts'

/** Longest topology, in characters of JSON: every run sends it. */
const MAX_LENGTH = 16_384

/**
 * The nodes and edges of a graph and of its subgraphs, as LangGraph draws them, under the names that events give them.
 *
 * @returns `undefined` if LangGraph cannot draw the graph, such as that of an `entrypoint()`, or it is too long
 */
export async function topologyOf(graph: AgentGraph): Promise<GraphTopology | undefined> {
  const edges = new Map<string, GraphTopology['edges'][number]>()
  const nodes = new Set<string>()
  try {
    for await (const { prefix, drawn } of drawings(graph)) {
      const nameOf = (id: string) => prefix + (id === ESCAPED ? 'subgraph' : id)
      for (const id of Object.keys(drawn.nodes)) nodes.add(nameOf(id))
      for (const edge of drawn.edges) {
        const [source, target] = [nameOf(edge.source), nameOf(edge.target)]
        const key = JSON.stringify([source, target])
        const conditional = edge.conditional === true && edges.get(key)?.conditional !== false
        edges.set(key, { source, target, conditional })
      }
      const length = JSON.stringify([...nodes, ...edges.values()]).length
      if (length > MAX_LENGTH) return undefined
    }
  } catch {
    return undefined
  }
  return nodes.size === 0 ? undefined : { nodes: [...nodes], edges: [...edges.values()] }
}

/** So LangGraph writes the name `subgraph`, which means something else in Mermaid. */
const ESCAPED = '"subgraph"'

/** A graph as it is drawn, then its subgraphs; only graphs of nodes and edges. */
async function* drawings(graph: AgentGraph, prefix = ''): AsyncGenerator<{ prefix: string; drawn: Drawing }> {
  if (!graph.builder) return
  yield { prefix, drawn: await graph.getGraphAsync() }
  for await (const [name, subgraph] of graph.getSubgraphsAsync())
    yield* drawings(subgraph as AgentGraph, `${prefix}${name}/`)
}

type Drawing = Awaited<ReturnType<AgentGraph['getGraphAsync']>>
