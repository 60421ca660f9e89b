import { sumOf } from '../../../figures.ts'
import { AgentText, Inline } from '../../parts/text.tsx'
import { numberText, plural } from '../../state/format.ts'
import type { InputMessage, InputPart } from '../../state/model-inputs.ts'

/** The parts of what a model read, in the order of their bar. */
const COLORS: Readonly<Record<InputPart, string>> = {
  System: 'var(--border-strong)',
  Tools: 'var(--warn)',
  Task: 'var(--accent)',
  Earlier: 'var(--muted)',
  New: 'var(--good)',
}

/** What a model call read: a bar of its tokens by part, and the messages, the new ones open. */
export function ModelInputView({ step, messages }: { step: number; messages: readonly InputMessage[] }) {
  const parts = Object.entries(COLORS)
    .map(([part, color]) => {
      const read = messages.filter(message => message.part === part)
      return { part, color, tokens: sumOf(read.map(({ tokens }) => tokens)) }
    })
    .filter(({ tokens }) => tokens > 0)
  return (
    <section class="stack" aria-label={`What step ${step} read`}>
      <div class="tally" aria-hidden="true">
        {parts.map(({ part, color, tokens }) => (
          <span key={part} style={{ '--tone': color, flexGrow: tokens }} />
        ))}
      </div>
      <ul class="row legend note" aria-label="Tokens by part">
        {parts.map(({ part, color, tokens }) => (
          <li key={part} class="row">
            <i class="key" style={{ color }} /> {part} {numberText(tokens)}
          </li>
        ))}
      </ul>
      {messages.map(({ role, part, tokens, text }, index) => (
        <details key={index} open={part === 'New'}>
          <summary>
            <Inline text={role} /> <span class="note">{plural(tokens, 'token')}</span>
          </summary>
          <AgentText text={text} label={`Message ${index + 1} of step ${step}`} kind="code" />
        </details>
      ))}
    </section>
  )
}
