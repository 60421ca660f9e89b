import { AgentText, Inline } from '../../parts/agent-text.tsx'
import { lookOf } from '../../parts/badge.tsx'
import { Icon } from '../../parts/icon.tsx'
import { count, duration } from '../../state/format.ts'
import type { LiveStep } from '../../state/live-run.ts'

/** The steps of a run as its events tell them. Once it is done they fold: the result comes first. */
export function LiveSteps({ steps, isUnderway }: { steps: readonly LiveStep[]; isUnderway: boolean }) {
  return (
    <details open={isUnderway} class="steps">
      <summary>
        {steps.length} {steps.length === 1 ? 'step' : 'steps'}
      </summary>
      <ol>
        {steps.map(step => (
          <Step key={step.step} step={step} />
        ))}
      </ol>
    </details>
  )
}

function Step({ step }: { step: LiveStep }) {
  const { tone, icon, word } = lookOf(step.state === 'done' ? 'pass' : step.state)
  const kind = step.kind === 'model' ? 'Model call' : 'Tool call'
  return (
    <li class={`step tone-${tone}`}>
      <div class="step-head">
        <Icon name={step.kind} />
        <span class="step-name">
          {kind} {step.step} · <Inline text={step.name || 'unknown tool'} />
          {step.attempt > 1 && `, try ${step.attempt}`}
        </span>
        <span class="note">
          {step.outputTokens !== null && `${count(step.inputTokens)} → ${count(step.outputTokens)} tokens · `}
          {step.finishedAt !== null && duration((step.finishedAt - step.startedAt) * 1000)}
        </span>
        <span class="step-state">
          <Icon name={icon} />
          <span class="sr-only">{step.state === 'done' ? 'done' : word}</span>
        </span>
      </div>
      {step.arguments && <AgentText text={step.arguments} label={`Arguments of step ${step.step}`} code />}
      {step.text && (
        <AgentText
          text={step.text}
          label={`${step.kind === 'model' ? 'Text' : 'Result'} of step ${step.step}`}
        />
      )}
      {step.sources.length > 0 && (
        <ul class="sources" aria-label={`Sources of step ${step.step}`}>
          {step.sources.map(({ number, title, url }) => (
            <li key={number}>
              [{number}]{' '}
              <a href={url} rel="noreferrer noopener" target="_blank" title={url}>
                <Inline text={title || url} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
