import { useMemo } from 'preact/hooks'
import type { RunRecord, RunStatus } from '../../../api.ts'
import { inDollars } from '../../../figures.ts'
import { Icon, type Look, lookOf } from '../../parts/badge.tsx'
import { WebLink } from '../../parts/markdown.tsx'
import { Section } from '../../parts/page.tsx'
import { AgentText, Inline } from '../../parts/text.tsx'
import { duration, plural, tokens, visibleText } from '../../state/format.ts'
import { type InputMessage, modelInputsIn } from '../../state/model-inputs.ts'
import { type RunStep, type RunSteps, tookMs } from '../../state/run-steps.ts'
import { ModelInput } from './model-input.tsx'

interface RunTimelineProps {
  readonly run: RunSteps
  readonly record: RunRecord
  /** The model call whose text is shown as the result so far. */
  readonly answering: RunStep | undefined
}

/** A run's steps on a time axis, from its events; each step expands to its input and output. */
export function RunTimeline({ run, record, answering }: RunTimelineProps) {
  const { id, status, at, wallMs, modelInputs } = record
  const inputs = useMemo(() => modelInputsIn(modelInputs), [modelInputs])
  const { steps, warnings } = run
  const isUnderway = status === 'underway'
  // A step that has no end lasted until the run's.
  const hasOpen = steps.some(({ finishedAt }) => finishedAt === null)
  const elapsedMs = isUnderway ? Date.now() - Date.parse(at) : hasOpen ? (wallMs ?? 0) : 0
  const end = Math.max(0.001, elapsedMs / 1000, ...steps.map(step => step.finishedAt ?? step.startedAt))
  const every = tickEvery(end)
  const count = plural(steps.length, 'step')
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
      {(steps.length > 0 || isUnderway) && (
        <Section title={count} label={`${count} of run ${id}`}>
          {steps.length === 0 ? <p class="note">Waiting for the agent…</p> : <Axis end={end} every={every} />}
          <ol class="steps stack" style={{ '--tick': `${(every / end) * 100}%` }}>
            {steps.map(step => (
              <Step
                key={step.step}
                step={step}
                input={inputs.get(step.step)}
                end={end}
                status={status}
                isAnswering={step === answering && step.text !== ''}
              />
            ))}
          </ol>
        </Section>
      )}
    </>
  )
}

const MAX_TICKS = 5
/** Labels this close to the end of the axis would touch its own. */
const NEAR_END = 0.75

/** The axis of the bars, in seconds since the run began. */
function Axis({ end, every }: { end: number; every: number }) {
  const ticks = Array.from({ length: MAX_TICKS + 1 }, (_, index) => index * every)
  return (
    <div class="axis note" aria-hidden="true">
      {ticks
        .filter(at => at <= end * NEAR_END)
        .map(at => (
          <span key={at} style={{ left: `${(at / end) * 100}%` }}>
            {duration(at * 1000)}
          </span>
        ))}
      <span class="end">{duration(end * 1000)}</span>
    </div>
  )
}

/** The distance of an axis' ticks: the least of 1, 2 or 5 times a power of ten that makes few enough. */
function tickEvery(end: number): number {
  const least = end / MAX_TICKS
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5, 10].map(times => times * power).find(every => every >= least)!
}

interface StepProps {
  readonly step: RunStep
  /** What it read, if it is a model call and that is known. */
  readonly input: readonly InputMessage[] | undefined
  /** Of the axis, in seconds. */
  readonly end: number
  readonly status: RunStatus
  /** Whether its text is shown as the result so far. */
  readonly isAnswering: boolean
}

function Step({ step, input, end, status, isAnswering }: StepProps) {
  const { kind, name, state, isReplayed, attempt, startedAt, finishedAt, outputTokens, costUsd } = step
  const { tone, icon, word } = lookOfStep(step, status)
  const what = kind === 'model' ? 'Model call' : 'Tool call'
  const last = finishedAt ?? end
  return (
    <li class={`tone-${tone}`}>
      <details open={status === 'underway'}>
        <summary>
          <span class="step">
            <Icon name={kind} />
            <strong>
              {what} {step.step} · <Inline text={name || 'unknown tool'} />
              {attempt > 1 && `, try ${attempt}`}
            </strong>
            <span class="note">
              {outputTokens !== null && `${tokens(step.inputTokens, outputTokens)} · `}
              {costUsd !== null && `${inDollars(costUsd)} · `}
              {isReplayed && 'replayed · '}
              {finishedAt === null ? word : duration(tookMs(step))}
            </span>
            <span class="toned">
              <Icon name={icon} />
              <span class="sr-only">{state === 'done' ? 'done' : word}</span>
            </span>
          </span>
          <span class="span" aria-hidden="true">
            <span
              style={{
                left: `${(startedAt / end) * 100}%`,
                width: `${(Math.max(0, last - startedAt) / end) * 100}%`,
              }}
            />
          </span>
        </summary>
        {isAnswering ? (
          <p class="note">Its text is the result so far.</p>
        ) : (
          <StepDetails step={step} input={input} word={word} />
        )}
      </details>
    </li>
  )
}

/** A step without an end was interrupted with its run, unless that succeeded: then only the record lacks the end. */
function lookOfStep({ state }: RunStep, status: RunStatus): Look {
  if (state === 'done') return lookOf('pass')
  if (state === 'failed' || status === 'underway') return lookOf(state)
  const word = status === 'success' ? 'its end was not recorded' : 'interrupted'
  return { tone: 'quiet', icon: 'dash', word }
}

/** A step's input and output. */
function StepDetails({ step, input, word }: Pick<StepProps, 'step' | 'input'> & { word: string }) {
  const { kind, text, sources } = step
  return (
    <div class="stack">
      {step.arguments && (
        <AgentText text={step.arguments} label={`Arguments of step ${step.step}`} kind="code" />
      )}
      {text && (
        <AgentText
          text={text}
          label={`${kind === 'model' ? 'Text' : 'Result'} of step ${step.step}`}
          kind={kind === 'model' ? 'markdown' : 'prose'}
        />
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
      {!step.arguments && <p class="note">{noteOf(step, word)}</p>}
      {input && <ModelInput step={step.step} messages={input} />}
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
