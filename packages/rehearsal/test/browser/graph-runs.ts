import type { RecordedEvent } from '@agent-task-service/rehearsal/api'
import type { GraphTopology } from '@agent-task-service/wire/contract'

const edge = (source: string, target: string, conditional = false) => ({ source, target, conditional })

/** A graph with parallel branches, a loop and a subgraph. */
export const TOPOLOGY: GraphTopology = {
  nodes: [
    ...['__start__', 'triage', 'search', 'read_pages', 'research', 'write', 'review', '__end__'],
    ...['research/__start__', 'research/plan', 'research/look', 'research/__end__'],
  ],
  edges: [
    edge('__start__', 'triage'),
    ...['search', 'read_pages', 'research'].flatMap(name => [
      edge('triage', name, true),
      edge(name, 'write'),
    ]),
    ...[edge('write', 'review'), edge('review', 'write', true), edge('review', '__end__', true)],
    ...[edge('research/__start__', 'research/plan'), edge('research/plan', 'research/look', true)],
    ...[edge('research/look', 'research/plan'), edge('research/plan', 'research/__end__', true)],
  ],
}

/** Writes the events of a run, a moment after each other unless told otherwise. */
export class EventWriter {
  readonly events: RecordedEvent[] = []
  #at = 0
  #step = 0

  constructor(graph?: unknown) {
    this.send('run_started', {
      task_id: 'test-1',
      tools: [],
      limits: {},
      ...(graph !== undefined && { graph }),
    })
  }

  pass(seconds: number): this {
    this.#at = Math.round((this.#at + seconds) * 1000) / 1000
    return this
  }

  send(type: string, data: object): this {
    this.events.push({ type, data: { v: 1, at: this.#at, ...data } })
    return this
  }

  start(superstep: number, ...nodes: readonly string[]): this {
    for (const node of nodes) this.send('node_started', { node, superstep })
    return this
  }

  end(superstep: number, ...nodes: readonly string[]): this {
    for (const node of nodes) this.send('node_finished', { node, superstep, failed: false })
    return this
  }

  /** @returns what ends the call */
  model(node?: string, tool_calls: readonly string[] = []): () => this {
    const step = ++this.#step
    this.send('model_started', { step, node, model: 'model-a', attempt: 1 })
    const used = { input_tokens: 500, output_tokens: 20, cost_usd: 0.001, cut: false }
    return () => this.send('model_finished', { step, model: 'model-a', ...used, tool_calls })
  }

  /** @returns what ends the call */
  tool(tool: string, node?: string): () => this {
    const step = ++this.#step
    this.send('tool_started', { step, node, tool, call_id: `c${step}`, arguments: `{"q":"${step}"}` })
    return () =>
      this.send('tool_finished', { step, tool, call_id: `c${step}`, failed: false, result: `found ${step}` })
  }

  /** A model call or a tool call that nothing runs beside. */
  alone(seconds: number, end: () => this): this {
    this.pass(seconds)
    return end()
  }
}

/** A run of `TOPOLOGY`: three branches beside each other, one of which is the subgraph, then a text, reviewed twice. */
export function branchedRun(): RecordedEvent[] {
  const run = new EventWriter(TOPOLOGY)
  run.pass(0.1).start(1, 'triage')
  run.alone(0.6, run.model('triage', ['web_search']))
  run.end(1, 'triage').start(2, 'search', 'read_pages', 'research').start(1, 'research/plan')
  const ends = [
    run.tool('web_search', 'search'),
    run.tool('fetch_page', 'read_pages'),
    run.model('research/plan'),
  ]
  for (const end of ends) run.alone(0.4, end)
  run.end(2, 'search', 'read_pages').end(1, 'research/plan').start(2, 'research/look').pass(0.2)
  run.alone(0.3, run.tool('calculator', 'research/look'))
  run.end(2, 'research/look').end(2, 'research')
  for (const [index, node] of ['write', 'review', 'write', 'review'].entries()) {
    run.start(3 + index, node)
    run.alone(0.5, run.model(node))
    run.end(3 + index, node)
  }
  return run.send('run_finished', { cost_usd: 0.006 }).events
}

/** A run of the loop of a model and its tools, of so many steps. */
export function longRun(steps: number): RecordedEvent[] {
  const nodes = ['__start__', 'plan', 'tool-call', 'respond', '__end__']
  const edges = [
    ...[edge('__start__', 'plan'), edge('plan', 'tool-call', true), edge('plan', 'respond', true)],
    ...[edge('tool-call', 'plan'), edge('respond', '__end__')],
  ]
  const run = new EventWriter({ nodes, edges })
  for (let step = 1; step <= steps; step += 1) {
    const node = step % 2 === 1 ? 'plan' : 'tool-call'
    run.start(step, node)
    run.alone(0.1, step % 2 === 1 ? run.model(node, ['calculator']) : run.tool('calculator', node))
    run.end(step, node)
  }
  return run.send('run_finished', { cost_usd: 0.006 }).events
}
