import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Box, GraphLayout } from '../../parts/graph-layout.ts'
import { Scroller } from '../../parts/scroller.tsx'
import { duration, visibleText } from '../../state/format.ts'
import type { GraphNode, GraphWork, NodeWork, RunGraph } from '../../state/run-graph.ts'

interface RunGraphProps {
  readonly graph: RunGraph
  readonly work: GraphWork
  /** The node that is picked, or in which the step that is picked was made. */
  readonly picked: string | undefined
  readonly onPick: (node: string) => void
}

/** The agent's graph; its nodes are lit while they work. Nothing until the library that lays it out has come. */
export function RunGraphView({ graph, work, picked, onPick }: RunGraphProps) {
  const box = useRef<HTMLDivElement>(null)
  const layout = useLayout(graph, box)
  const arrow = useId()
  const working = graph.nodes.filter(({ name, isCluster }) => !isCluster && work.nodes.get(name)!.open > 0)
  // In a graph that is larger than its box, what works is in view.
  useLayoutEffect(() => {
    const first = working[0] && layout?.boxes.get(working[0].name)
    if (first) bringIntoView(box.current!.firstElementChild!, first)
  }, [layout, working.map(({ name }) => name).join()])
  return (
    <div ref={box}>
      {layout && (
        <Scroller kind="graph-scroller" label="Graph">
          <div class="graph" style={{ width: `${layout.width}px`, height: `${layout.height}px` }}>
            {graph.nodes.map(
              ({ name, isCluster }) =>
                isCluster && <div key={name} class="cluster" style={placeIn(layout, name)} />,
            )}
            <svg width={layout.width} height={layout.height} aria-hidden="true">
              <marker
                id={arrow}
                viewBox="0 0 8 8"
                markerWidth="8"
                markerHeight="8"
                markerUnits="userSpaceOnUse"
                refX="7"
                refY="4"
                orient="auto"
              >
                <path d="M0 0L8 4L0 8z" />
              </marker>
              {graph.edges.map(({ key, isConditional }) => (
                <path
                  key={key}
                  d={layout.paths.get(key)}
                  class={`edge ${isConditional ? 'conditional' : ''} ${work.lit.has(key) ? 'lit' : ''}`}
                  marker-end={`url(#${arrow})`}
                />
              ))}
            </svg>
            {graph.nodes.map(node =>
              node.isPoint ? (
                <span key={node.name} class="point" style={placeIn(layout, node.name)} />
              ) : (
                <Node
                  key={node.name}
                  node={node}
                  work={work.nodes.get(node.name)!}
                  layout={layout}
                  isPicked={node.name === picked}
                  onPick={onPick}
                />
              ),
            )}
          </div>
        </Scroller>
      )}
    </div>
  )
}

interface NodeProps {
  readonly node: GraphNode
  readonly work: NodeWork
  readonly layout: GraphLayout
  readonly isPicked: boolean
  readonly onPick: (node: string) => void
}

function Node({ node: { name, label, isCluster }, work, layout, isPicked, onPick }: NodeProps) {
  const { width, height, ...corner } = placeIn(layout, name)
  const { visits, open, hasFailed } = work
  const state = open > 0 ? 'lit' : hasFailed ? 'tone-bad' : visits > 0 ? 'visited' : ''
  return (
    <button
      type="button"
      class={`node ${state} ${isCluster ? 'of-cluster' : ''}`}
      style={{ ...corner, ...(isCluster ? { maxWidth: width } : { width, height }) }}
      title={visibleText(name)}
      aria-pressed={isPicked}
      onClick={() => onPick(name)}
    >
      <bdi>{visibleText(label)}</bdi>
      {visits > 0 && <span class="note">{figuresOf(work)}</span>}
      {open > 0 && <span class="sr-only">works</span>}
    </button>
  )
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact' })

/** `×2 · 0.40 s · 1.2K tok`; a failure comes first, since a node has room for little more. */
function figuresOf({ visits, seconds, tokens, hasFailed }: NodeWork): string {
  const figures = [...(hasFailed ? ['failed'] : []), `×${visits}`, duration(seconds * 1000)]
  if (tokens > 0) figures.push(`${SHORT.format(tokens)} tok`)
  return figures.join(' · ')
}

/** Scrolls a box, and nothing around it, no further than it must. */
function bringIntoView(scroller: Element, { left, top, width, height }: Box): void {
  const { clientWidth, clientHeight, scrollLeft, scrollTop } = scroller
  scroller.scrollTo(
    Math.min(left, Math.max(scrollLeft, left + width - clientWidth)),
    Math.min(top, Math.max(scrollTop, top + height - clientHeight)),
  )
}

function placeIn({ boxes }: GraphLayout, name: string) {
  const { left, top, width, height } = boxes.get(name)!
  return { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }
}

/** Where the graph is drawn, in the width that a box has; undefined until the library is there, or if it cannot. */
function useLayout(graph: RunGraph, box: { readonly current: HTMLElement | null }): GraphLayout | undefined {
  const [drawn, setDrawn] = useState<{ readonly of: RunGraph; readonly layout: GraphLayout }>()
  useEffect(() => {
    let isGone = false
    const sizes = new ResizeObserver(([entry]) => {
      import('../../parts/graph-layout.ts')
        .then(({ layOut }) => {
          if (!isGone) setDrawn({ of: graph, layout: layOut(graph, entry!.contentRect.width) })
        })
        .catch(() => {
          // The platform has gone, or the library knows no place for the nodes: the list says the same.
        })
    })
    sizes.observe(box.current!)
    return () => {
      isGone = true
      sizes.disconnect()
    }
  }, [graph])
  return drawn?.of === graph ? drawn.layout : undefined
}
