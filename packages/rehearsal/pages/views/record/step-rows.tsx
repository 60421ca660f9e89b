import type { RunStatus } from '../../../api.ts'
import { inDollars } from '../../../figures.ts'
import { Icon, type Look } from '../../parts/badge.tsx'
import { WebLink } from '../../parts/markdown.tsx'
import { AgentText, Inline } from '../../parts/text.tsx'
import { duration, numberText, tokens, visibleText } from '../../state/format.ts'
import type { InputMessage } from '../../state/model-inputs.ts'
import { type RunStep, tookMs } from '../../state/run-steps.ts'
import { ModelInputView } from './model-input.tsx'

/** The browser takes minutes for fifty times as many. */
const MAX_ROWS = 1000

interface StepRowsProps {
  readonly steps: readonly RunStep[]
  /** What each model call read, by its step, as far as that is known. */
  readonly inputs: ReadonlyMap<number, readonly InputMessage[]>
  /** Of the time scale, in seconds. */
  readonly end: number
  readonly status: RunStatus
  /** The step whose details are shown. */
  readonly picked: number | undefined
  /** Whether a step was made in the node that is picked. */
  readonly isMarked: (step: RunStep) => boolean
  readonly onPick: (step: number) => void
  /** The model call whose text is shown as the result so far. */
  readonly answering: RunStep | undefined
}

/** A run's steps, a line each, on one time scale; those that ran at the same time are bracketed. */
export function StepRows({ steps, inputs, end, status, picked, isMarked, onPick, answering }: StepRowsProps) {
  return (
    <>
      <ol class="steps">
        {steps.slice(0, MAX_ROWS).map((step, index) => {
          const isOpen = step.step === picked
          return (
            <li key={step.step} class={bracketAt(steps, index)}>
              <button
                type="button"
                class="step-row"
                aria-expanded={isOpen}
                aria-current={isMarked(step)}
                onClick={() => onPick(step.step)}
              >
                <StepLine step={step} end={end} status={status} />
              </button>
              {isOpen && (
                <StepDetails
                  {...{ step, status }}
                  isAnswering={step === answering}
                  input={inputs.get(step.step)}
                />
              )}
            </li>
          )
        })}
      </ol>
      {steps.length > MAX_ROWS && (
        <p class="note">
          Shown are the first {numberText(MAX_ROWS)} of {numberText(steps.length)} steps: more would stop the
          page.
        </p>
      )}
    </>
  )
}

/** The part of a bracket at a step: whether it ran beside the one before it, and beside the one after it. */
function bracketAt(steps: readonly RunStep[], index: number): string {
  const isBeside = steps[index]!.isBeside
  const goesOn = steps[index + 1]?.isBeside === true
  if (!isBeside && !goesOn) return ''
  return `beside ${isBeside ? '' : 'first'} ${goesOn ? '' : 'last'}`
}

/** A step's name, its bar on the time scale, and how long it took. */
export function StepLine({ step, end, status }: { step: RunStep; end: number; status: RunStatus }) {
  const { kind, name, state, attempt, startedAt, finishedAt, isBeside, isReplayed } = step
  const { tone, word } = endingOf(step, status)
  const last = finishedAt ?? end
  const [left, width] = [startedAt, Math.max(0, last - startedAt)].map(at => `${(at / end) * 100}%`)
  return (
    <>
      <Icon name={kind} />
      <span class="name">
        <span class="sr-only">{kind === 'model' ? 'Model call ' : 'Tool call '}</span>
        {step.step} · <Inline text={name || 'unknown tool'} />
        {attempt > 1 && `, try ${attempt}`}
        {isBeside && <span class="sr-only">, beside the step before</span>}
      </span>
      <span class={`span tone-${tone}`} aria-hidden="true">
        <span style={{ left, width }} />
      </span>
      <span class={state === 'failed' ? 'took tone-bad' : 'took'}>
        {state === 'failed' && <Icon name="cross" />}
        <span class="sr-only">{word}, </span>
        {isReplayed ? 'replayed' : finishedAt === null ? '–' : duration(tookMs(step))}
      </span>
    </>
  )
}

/** A step without an end was interrupted with its run, unless that succeeded: then only the record lacks the end. */
function endingOf({ state }: RunStep, status: RunStatus): Pick<Look, 'tone' | 'word'> {
  if (state === 'done') return { tone: 'accent', word: 'done' }
  if (state === 'failed') return { tone: 'bad', word: 'failed' }
  if (status === 'underway') return { tone: 'accent', word: 'in progress' }
  return { tone: 'quiet', word: status === 'success' ? 'its end was not recorded' : 'interrupted' }
}

interface StepDetailsProps {
  readonly step: RunStep
  readonly status: RunStatus
  /** Whether its text is shown as the result so far. */
  readonly isAnswering: boolean
  readonly input: readonly InputMessage[] | undefined
}

/** What a step used, its input and its output. */
function StepDetails({ step, status, isAnswering, input }: StepDetailsProps) {
  const { kind, text, sources, node, inputTokens, outputTokens, costUsd } = step
  const used = [
    node && `in ${visibleText(node)}`,
    outputTokens !== null && tokens(inputTokens, outputTokens),
    costUsd !== null && inDollars(costUsd),
  ]
  return (
    <div class="step-details stack">
      <p class="note">{used.filter(Boolean).join(' · ')}</p>
      {step.arguments && (
        <AgentText text={step.arguments} label={`Arguments of step ${step.step}`} kind="code" />
      )}
      {isAnswering && text !== '' ? (
        <p class="note">Its text is the result so far.</p>
      ) : (
        text && (
          <AgentText
            text={text}
            label={`${kind === 'model' ? 'Text' : 'Result'} of step ${step.step}`}
            kind={kind === 'model' ? 'markdown' : 'prose'}
          />
        )
      )}
      {sources.length > 0 && (
        <ul class="stack" aria-label={`Sources of step ${step.step}`}>
          {sources.map(({ number, title, url }) => (
            <li key={url}>
              {number && `[${visibleText(number)}] `}
              <WebLink href={url}>
                <Inline text={title} />
              </WebLink>
            </li>
          ))}
        </ul>
      )}
      {step.isReplayed && (
        <p class="note">An earlier run of the task made this call, and it was not made again.</p>
      )}
      {!step.arguments && <p class="note">{noteOf(step, endingOf(step, status).word)}</p>}
      {input && <ModelInputView step={step.step} messages={input} />}
    </div>
  )
}

/** What a step's texts do not say. */
function noteOf({ kind, state, text, toolCalls }: RunStep, word: string): string | null {
  if (toolCalls.length > 0) return `Called ${toolCalls.map(visibleText).join(', ')}.`
  if (text !== '') return null
  if (state !== 'done') return `No ${kind === 'model' ? 'text' : 'result'}: ${word}.`
  return kind === 'model' ? 'The model wrote no text.' : 'No details.'
}
