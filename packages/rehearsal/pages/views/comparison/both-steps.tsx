import { useState } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { type Both, both, stepsBeside } from '../../state/differences.ts'
import { endOfSteps, type RunStep, stepsIn } from '../../state/run-steps.ts'
import { StepLine } from '../record/step-rows.tsx'
import { BothTexts } from './both-texts.tsx'

/** The steps of two runs on one time scale, those that call the same model or tool beside each other. */
export function BothSteps({ runs }: { runs: Both<RunRecord> }) {
  const steps = both(runs, ({ events }) => stepsIn(events).steps)
  const rows = stepsBeside(steps)
  if (rows.length === 0) {
    const isUnderway = runs.some(({ status }) => status === 'underway')
    return (
      <p class="note">
        {isUnderway ? 'No steps yet.' : 'Neither run has steps on record: the agent did not stream.'}
      </p>
    )
  }
  const end = Math.max(...runs.map((run, index) => endOfSteps(steps[index]!, run)))
  return (
    <ol class="lined both-steps">
      <li class="both note">
        {runs.map(({ id }, index) => (
          <span key={index}>Run {id}</span>
        ))}
      </li>
      {rows.map((steps, index) => (
        <li key={index}>
          <StepRow runs={runs} steps={steps} end={end} />
        </li>
      ))}
    </ol>
  )
}

interface StepRowProps {
  readonly runs: Both<RunRecord>
  readonly steps: Both<RunStep | undefined>
  /** Of the time scale, in seconds. */
  readonly end: number
}

function StepRow({ runs, steps, end }: StepRowProps) {
  const [isOpen, setOpen] = useState(false)
  const lines = steps.map((step, index) => {
    const { id, status } = runs[index]!
    return step === undefined ? (
      <span key={index} class="note">
        Not in run {id}
      </span>
    ) : (
      <span key={index} class="step-row">
        <StepLine step={step} end={end} status={status} />
      </span>
    )
  })
  const differing = differingTexts(steps)
  if (differing.length === 0) return <div class="both">{lines}</div>
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="both">{lines}</span>
      </summary>
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
