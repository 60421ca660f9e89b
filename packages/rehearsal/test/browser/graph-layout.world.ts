import { some } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'
import { layOut } from '../../pages/parts/graph-layout.ts'
import { graphOf, momentsIn, placeOf, workIn } from '../../pages/state/run-graph.ts'
import { branchedRun, TOPOLOGY } from './graph-runs.ts'

const SEEDS = some(
  Array.from({ length: 150 }, (_, seed) => seed),
  5,
)
const PARTS = [
  'plan',
  'tools',
  '__start__',
  '__end__',
  '__proto__',
  'a/b',
  '',
  '0',
  'toString',
  '/',
  '\u202e',
]

/** Whatever an agent may say of its graph: nodes within each other, loops, edges to nowhere, odd names and figures. */
function drawnTopology(random: Random): unknown {
  const nodes: unknown[] = []
  const count = random.whole(1, 58)
  while (nodes.length < count) {
    const around = random.happens(0.4) && nodes.length > 0 ? `${random.pick(nodes)}/` : ''
    nodes.push(
      random.happens(0.02) ? 7 : `${around}${random.pick(PARTS)}${random.happens(0.5) ? nodes.length : ''}`,
    )
  }
  const edges = Array.from({ length: random.whole(0, 90) }, () => ({
    source: random.happens(0.02) ? 'nowhere' : random.pick(nodes),
    target: random.pick(nodes),
    conditional: random.pick([true, false, 'perhaps']),
  }))
  return { nodes, edges }
}

test.each(SEEDS)(
  'whatever graph an agent tells is drawn, no node over another, or not at all (drawn by seed %i)',
  seed => {
    const graph = graphOf(drawnTopology(new Random(seed)))
    if (graph === undefined) return
    const { width, height, boxes, paths } = layOut(graph, 500)
    for (const path of paths.values()) expect(path).toMatch(/^M-?\d[-\d.,QLC Z]*$/)
    const placed = graph.nodes.filter(({ isCluster }) => !isCluster).map(({ name }) => boxes.get(name)!)
    for (const [index, one] of placed.entries()) {
      expect([
        one.left >= 0,
        one.top >= 0,
        one.left + one.width <= width,
        one.top + one.height <= height,
      ]).toEqual(Array(4).fill(true))
      for (const other of placed.slice(index + 1)) {
        const isApart =
          one.left + one.width <= other.left ||
          other.left + other.width <= one.left ||
          one.top + one.height <= other.top ||
          other.top + other.height <= one.top
        expect(isApart).toBe(true)
      }
    }
  },
)

test('a node is in the innermost that the graph names, however long its name', () => {
  expect(placeOf('a/b/c', ['a', 'a/b', 'a/bc', 'b'])).toBe('a/b')
  expect(placeOf('ab', ['a'])).toBeUndefined()
  expect(placeOf(`a${'/x'.repeat(500_000)}`, ['a', 'x'])).toBe('a')
  expect(graphOf({ nodes: ['x'.repeat(501)], edges: [] })).toBeUndefined()
})

test('events in any order leave figures that can be: nothing works a negative time, or ends twice', () => {
  const graph = graphOf(TOPOLOGY)!
  const events = branchedRun()
  for (let seed = 0; seed < 100; seed += 1) {
    const random = new Random(seed)
    const shuffled = events.filter(() => random.happens(0.7)).toSorted(() => random.next() - 0.5)
    const { nodes } = workIn(graph, momentsIn(shuffled), 5, random.happens(0.5))
    for (const { open, visits, seconds, tokens } of nodes.values())
      for (const figure of [open, visits, seconds, tokens]) expect(figure).toBeGreaterThanOrEqual(0)
  }
})
