import { type Edge, Graph, layout } from '@dagrejs/dagre'
import type { GraphNode, RunGraph } from '../state/run-graph.ts'

/** In pixels, from the left and the top of the drawing. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Where a graph is drawn. */
export interface GraphLayout {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyMap<string, Box>
  /** The path of each edge, as SVG has it, by the edge's key. */
  readonly paths: ReadonlyMap<string, string>
}

const NODE = { width: 148, height: 42 }
const POINT = { width: 10, height: 10 }
const GAPS = { nodesep: 16, ranksep: 28, edgesep: 12, marginx: 4, marginy: 12 }

/** From left to right if that fits into a width, else from top to bottom; branches beside each other. */
export function layOut(graph: RunGraph, width: number): GraphLayout {
  const across = drawn(graph, 'LR')
  return across.width <= width ? across : drawn(graph, 'TB')
}

function drawn({ nodes, edges }: RunGraph, rankdir: 'LR' | 'TB'): GraphLayout {
  const graph = new Graph({ compound: true, multigraph: true })
  // The library knows the nodes by number: the names of some, such as `__proto__`, are those of its objects' own members.
  const ids = new Map(nodes.map(({ name }, index) => [name, String(index)]))
  graph.setGraph({ rankdir, ...GAPS })
  for (const { name, isPoint, isCluster } of nodes)
    graph.setNode(ids.get(name)!, isCluster ? {} : { ...(isPoint ? POINT : NODE) })
  for (const { name, around } of nodes)
    if (around !== undefined) graph.setParent(ids.get(name)!, ids.get(around)!)
  const loops = edges.filter(({ source, target }) => source === target)
  for (const edge of edges) {
    if (loops.includes(edge)) continue
    const [source, target] = [idOf(edge.source, '__end__'), idOf(edge.target, '__start__')]
    if (source !== undefined && target !== undefined) graph.setEdge(source, target, {}, edge.key)
  }
  layout(graph)
  const boxes = new Map(nodes.map(({ name }) => [name, boxOf(graph.node(ids.get(name)!) as Placed)]))
  const { width = 0, height = 0 } = graph.graph() as Partial<Box>
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    boxes,
    paths: new Map([
      ...graph.edges().map((edge: Edge) => [String(edge.name), curve(graph.edge(edge) as Line)] as const),
      ...loops.map(({ key, source }) => [key, loop(boxes.get(source)!)] as const),
    ]),
  }

  /** A node that has a subgraph is no end of an edge: the beginning or the end of that graph is. */
  function idOf(name: string, end: '__start__' | '__end__'): string | undefined {
    const isEnd = ({ around, label, isPoint }: GraphNode) => isPoint && around === name && label === end
    const isCluster = nodes.some(node => node.name === name && node.isCluster)
    return ids.get(isCluster ? (nodes.find(isEnd)?.name ?? '') : name)
  }
}

interface Placed {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Line {
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

function boxOf({ x, y, width, height }: Placed): Box {
  return { left: x - width / 2, top: y - height / 2, width, height }
}

/** Rounds the corners: each inner point draws the line towards itself. */
function curve({ points }: Line): string {
  const [start, ...rest] = points.map(({ x, y }) => [Math.round(x), Math.round(y)] as const)
  const bends = rest.slice(0, -1).map((bend, index) => {
    const next = rest[index + 1]!
    const to = index === rest.length - 2 ? next : [(bend[0] + next[0]) / 2, (bend[1] + next[1]) / 2]
    return `Q${bend} ${to}`
  })
  return `M${start}${bends.join('')}${rest.length === 1 ? `L${rest[0]}` : ''}`
}

/** From the top of a node back to it. */
function loop({ left, top, width }: Box): string {
  const right = left + width
  return `M${right - 40},${top}C${right - 40},${top - 14} ${right - 12},${top - 14} ${right - 12},${top}`
}
