import type { RecordedEvent } from '../../api.ts'
import { isObject, textOf } from '../../json.ts'
import { visibleText } from './format.ts'
import { known, shownText } from './run-steps.ts'

/** A larger graph is not drawn: nobody could read it. */
const MAX_NODES = 60
const MAX_EDGES = 300
const MAX_NAME = 500

export interface GraphNode {
  readonly name: string
  /** Without the names around it. */
  readonly label: string
  /** The node whose subgraph it is in. */
  readonly around: string | undefined
  /** Where a graph begins or ends: nothing runs there. */
  readonly isPoint: boolean
  /** Whether it has a subgraph. */
  readonly isCluster: boolean
}

interface GraphEdge {
  readonly key: string
  readonly source: string
  readonly target: string
  readonly isConditional: boolean
}

/** An agent's graph, as its `run_started` tells it. */
export interface RunGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** What `run_started` tells of the graph, as it came; undefined if it tells nothing. */
export function topologyIn(events: readonly RecordedEvent[]): unknown {
  return events.find(({ type }) => type === 'run_started')?.data.graph
}

/** The graph of a topology from outside; undefined if it is none, or larger than can be read. */
export function graphOf(topology: unknown): RunGraph | undefined {
  if (!isObject(topology) || !Array.isArray(topology.nodes) || !Array.isArray(topology.edges))
    return undefined
  if (topology.nodes.length > MAX_NODES || topology.edges.length > MAX_EDGES) return undefined
  const names = new Set(topology.nodes.map(textOf).filter(Boolean))
  if ([...names].some(({ length }) => length > MAX_NAME)) return undefined
  const nodes = [...names].map((name): GraphNode => {
    const around = placeOf(
      name,
      [...names].filter(other => other !== name),
    )
    const label = around === undefined ? name : name.slice(around.length + 1)
    const isCluster = [...names].some(other => other.startsWith(`${name}/`))
    return { name, label, around, isPoint: /^__(start|end)__$/.test(label) && !isCluster, isCluster }
  })
  const edges = new Map<string, GraphEdge>()
  for (const edge of topology.edges.filter(isObject)) {
    const [source, target] = [textOf(edge.source), textOf(edge.target)]
    if (!names.has(source) || !names.has(target)) continue
    const key = keyOf(source, target)
    edges.set(key, { key, source, target, isConditional: edge.conditional === true })
  }
  return nodes.every(({ isPoint }) => isPoint) ? undefined : { nodes, edges: [...edges.values()] }
}

const keyOf = (source: string, target: string) => JSON.stringify([source, target])

/** The innermost of some nodes that a node is, or is in. */
export function placeOf(node: string, names: Iterable<string>): string | undefined {
  const around = [...names].filter(name => node === name || node.startsWith(`${name}/`))
  return around.sort((a, b) => b.length - a.length)[0]
}

/** An event that changes what is drawn. */
export interface RunMoment extends RecordedEvent {
  /** In seconds since the request arrived; never before the moment before it. */
  readonly at: number
}

export function momentsIn(events: readonly RecordedEvent[]): RunMoment[] {
  let at = 0
  return events
    .filter(({ type }) => /^(run|node|model|tool)_(started|finished|failed)$/.test(type))
    .map(({ type, data }) => {
      at = Math.max(at, known(data.at) ?? 0)
      return { type, data, at }
    })
}

/** `tool finished: calculator` */
export function momentText({ type, data }: RunMoment): string {
  const name = visibleText(shownText(data.tool ?? data.model ?? data.node).slice(0, MAX_NAME))
  return `${type.replace('_', ' ')}${name && `: ${name}`}`
}

/** What a node has done up to a moment. */
export interface NodeWork {
  /** How often it has started. */
  readonly visits: number
  /** How many of those have not ended: it works. */
  readonly open: number
  /** How long it has worked, in seconds; once where it worked several times at once. */
  readonly seconds: number
  /** Read and written by the model calls in it. */
  readonly tokens: number
  readonly hasFailed: boolean
}

type Draft = { -readonly [Name in keyof NodeWork]: NodeWork[Name] } & {
  /** When it began to work. */
  since: number
  /** Keys of the edges that may have led to its latest start. */
  ways: readonly string[]
  readonly around: string | undefined
}

export type GraphWork = ReturnType<typeof workIn>

/** The nodes of one graph that started last, by its superstep, and those of the one before. */
interface Front {
  readonly superstep: number
  readonly names: string[]
  readonly before: readonly string[]
}

/** A graph's work while its moments are read. */
interface Reading {
  readonly nodes: ReadonlyMap<string, Draft>
  /** Of each graph, by the node around it. */
  readonly fronts: Map<string | undefined, Front>
  /** The node that makes each step. */
  readonly places: Map<unknown, Draft>
}

/**
 * What a graph has done.
 *
 * @param moments up to then
 * @param at in seconds; nodes that work have worked until then
 * @param isOver whether the run has ended, and nothing works any more
 */
export function workIn(graph: RunGraph, moments: readonly RunMoment[], at: number, isOver: boolean) {
  const nodes = new Map(graph.nodes.map(({ name, around }): [string, Draft] => [name, draftOf(around)]))
  const reading: Reading = { nodes, fronts: new Map(), places: new Map() }
  for (const moment of moments) changes[moment.type]?.(moment, reading)
  const working = [...nodes.values()].filter(({ open }) => open > 0)
  for (const node of working) {
    node.seconds += Math.max(0, at - node.since)
    if (isOver) node.open = 0
  }
  /** Keys of the edges that led to nodes that work. */
  const lit = new Set(isOver ? [] : working.flatMap(({ ways }) => ways))
  return { nodes, lit }
}

function draftOf(around: string | undefined): Draft {
  return { visits: 0, open: 0, seconds: 0, tokens: 0, hasFailed: false, since: 0, ways: [], around }
}

const changes: Readonly<Record<string, (moment: RunMoment, reading: Reading) => void>> = {
  node_started({ data, at }, { nodes, fronts }) {
    const name = textOf(data.node)
    const node = nodes.get(name)
    if (!node) return
    if (node.open === 0) node.since = at
    node.open += 1
    node.visits += 1
    node.ways = sourcesOf(node, name, data.superstep, fronts).map(source => keyOf(source, name))
  },
  node_finished({ data, at }, { nodes }) {
    const node = nodes.get(textOf(data.node))
    if (!node || node.open === 0) return
    node.open -= 1
    if (node.open === 0) node.seconds += at - node.since
    if (data.failed === true) node.hasFailed = true
  },
  model_started({ data }, { nodes, places }) {
    const node = nodes.get(placeOf(textOf(data.node), nodes.keys()) ?? '')
    if (node) places.set(data.step, node)
  },
  model_finished({ data }, { places }) {
    const node = places.get(data.step)
    if (node) node.tokens += (known(data.input_tokens) ?? 0) + (known(data.output_tokens) ?? 0)
  },
}

/** The nodes of the superstep before in the same graph, or where it begins. */
function sourcesOf(
  { around }: Draft,
  name: string,
  superstep: unknown,
  fronts: Reading['fronts'],
): readonly string[] {
  const number = known(superstep) ?? 0
  let front = fronts.get(around)
  if (front?.superstep !== number) {
    const start = around === undefined ? '__start__' : `${around}/__start__`
    const before = front?.superstep === number - 1 ? front.names : [start]
    front = { superstep: number, names: [], before }
    fronts.set(around, front)
  }
  front.names.push(name)
  return front.before
}
