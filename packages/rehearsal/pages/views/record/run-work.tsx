import { useMemo, useRef, useState } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { Section } from '../../parts/page.tsx'
import { Inline } from '../../parts/text.tsx'
import { duration, plural } from '../../state/format.ts'
import { modelInputsIn } from '../../state/model-inputs.ts'
import { graphOf, momentsIn, momentText, placeOf, topologyIn, workIn } from '../../state/run-graph.ts'
import { endOfSteps, type RunStep, type RunSteps } from '../../state/run-steps.ts'
import { type PlaceInRun, Player } from './player.tsx'
import { RunGraphView } from './run-graph.tsx'
import { StepRows } from './step-rows.tsx'

interface RunWorkProps {
  readonly run: RunSteps
  readonly record: RunRecord
  /** The model call whose text is shown as the result so far. */
  readonly answering: RunStep | undefined
}

/** The agent's graph at work, as far as its events tell of it, over its steps; a slider plays them again. */
export function RunWork({ run, record, answering }: RunWorkProps) {
  const { steps, warnings } = run
  const isUnderway = record.status === 'underway'
  const inputs = useMemo(() => modelInputsIn(record.modelInputs), [record.modelInputs])
  const moments = useMemo(() => momentsIn(record.events), [record])
  // Each record has it anew; a graph that is the same is laid out once.
  const topology = useMemo(() => JSON.stringify(topologyIn(record.events)), [record])
  const graph = useMemo(() => graphOf(topologyIn(record.events)), [topology])
  const veil = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<PlaceInRun | null>(null)
  /** The number of a step, or the name of a node. */
  const [picked, setPicked] = useState<number | string>()
  const pick = (what: number | string) => setPicked(what === picked ? undefined : what)
  const names = useMemo(() => new Set(graph?.nodes.map(({ name }) => name)), [graph])
  const pickedNode =
    typeof picked === 'string'
      ? picked
      : placeOf(steps.find(({ step }) => step === picked)?.node ?? '', names)

  const end = Math.max(endOfSteps(steps, record), moments.at(-1)?.at ?? 0)
  const seen = place?.seen ?? moments.length
  const latest = moments[seen - 1]
  const work = graph && workIn(graph, moments.slice(0, seen), place?.at ?? end, !isUnderway && place === null)
  // As the run is played, they stay.
  const rows = useMemo(
    () => (
      <StepRows
        {...{ steps, inputs, end, answering }}
        status={record.status}
        picked={typeof picked === 'number' ? picked : undefined}
        isMarked={({ node }) => typeof picked === 'string' && placeOf(node, names) === picked}
        onPick={pick}
      />
    ),
    [run, inputs, end, answering, record.status, picked, names],
  )
  const count = plural(steps.length, 'step')
  const told = place && latest && (
    <span class="note" aria-hidden="true">
      {duration(place.at * 1000)} · {momentText(latest)}
    </span>
  )
  return (
    <>
      {warnings.length > 0 && (
        <ul class="notice tone-warn">
          {warnings.map((warning, index) => (
            <li key={index}>
              <Inline text={warning} />
            </li>
          ))}
        </ul>
      )}
      {(steps.length > 0 || graph || isUnderway) && (
        <Section title={count} label={`${count} of run ${record.id}`} aside={told}>
          {graph && work && <RunGraphView graph={graph} work={work} picked={pickedNode} onPick={pick} />}
          {moments.length === 0 ? (
            <p class="note">Waiting for the agent…</p>
          ) : (
            <div class="stack timeline">
              <Player {...{ moments, end, isUnderway, place, veil }} onPlace={setPlace} />
              {rows}
              <div class="veil" aria-hidden="true">
                <div ref={veil} />
              </div>
            </div>
          )}
        </Section>
      )}
    </>
  )
}
