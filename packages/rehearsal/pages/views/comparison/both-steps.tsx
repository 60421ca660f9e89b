import { useState } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { Icon } from '../../parts/badge.tsx'
import { Inline } from '../../parts/text.tsx'
import { type Both, both, stepsBeside } from '../../state/differences.ts'
import { duration, tokens } from '../../state/format.ts'
import { type RunStep, stepsIn, tookMs } from '../../state/run-steps.ts'
import { BothTexts } from './both-texts.tsx'

/** The steps of two runs, those that call the same model or tool beside each other. */
export function BothSteps({ runs }: { runs: Both<RunRecord> }) {
  const rows = stepsBeside(both(runs, ({ events }) => stepsIn(events).steps))
  if (rows.length === 0) {
    const isUnderway = runs.some(({ status }) => status === 'underway')
    return (
      <p class="note">
        {isUnderway ? 'No steps yet.' : 'Neither run has steps on record: the agent did not stream.'}
      </p>
    )
  }
  return (
    <ol class="both-steps">
      <li class="both note">
        {runs.map(({ id }, index) => (
          <span key={index}>Run {id}</span>
        ))}
      </li>
      {rows.map((steps, index) => (
        <li key={index}>
          <StepRow runs={runs} steps={steps} />
        </li>
      ))}
    </ol>
  )
}

function StepRow({ runs, steps }: { runs: Both<RunRecord>; steps: Both<RunStep | undefined> }) {
  const [isOpen, setOpen] = useState(false)
  const heads = (
    <span class="both">
      {steps.map((step, index) => (
        <StepHead key={index} step={step} runId={runs[index]!.id} />
      ))}
    </span>
  )
  const differing = differingTexts(steps)
  if (differing.length === 0) return heads
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{heads}</summary>
      {/* Finding what differs in the texts of many steps would stop the page. */}
      {isOpen && (
        <div class="stack">
          {differing.map(({ name, texts }) => (
            <BothTexts key={name} runs={runs} name={name} texts={texts} />
          ))}
        </div>
      )}
    </details>
  )
}

/** What two steps of the same name passed or returned, where it differs. */
function differingTexts([first, second]: Both<RunStep | undefined>) {
  if (first === undefined || second === undefined) return []
  const texts: { name: string; texts: Both<string> }[] = [
    { name: 'arguments', texts: [first.arguments, second.arguments] },
    { name: first.kind === 'model' ? 'text' : 'result', texts: [first.text, second.text] },
    { name: 'calls', texts: [first.toolCalls.join(', '), second.toolCalls.join(', ')] },
  ]
  return texts.filter(({ texts: [one, other] }) => one !== other)
}

function StepHead({ step, runId }: { step: RunStep | undefined; runId: number }) {
  if (step === undefined) return <span class="note">Not in run {runId}</span>
  const { kind, name, state, finishedAt, inputTokens, outputTokens } = step
  const took = finishedAt === null ? 'no end' : duration(tookMs(step))
  return (
    <span class="step">
      <Icon name={kind} />
      <strong>
        {step.step} · <Inline text={name || 'unknown tool'} />
      </strong>
      <span class="note">
        {outputTokens !== null && `${tokens(inputTokens, outputTokens)} · `}
        {took}
        {state === 'failed' && ' · failed'}
      </span>
    </span>
  )
}
