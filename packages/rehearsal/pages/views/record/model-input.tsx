import { AgentText, Inline } from '../../parts/text.tsx'
import { count, plural } from '../../state/format.ts'
import { INPUT_PARTS, type InputMessage } from '../../state/model-inputs.ts'

/** What a model call read: a bar of its tokens by part, and the messages, the new ones open. */
export function ModelInput({ step, messages }: { step: number; messages: readonly InputMessage[] }) {
  const parts = INPUT_PARTS.map(part => {
    const tokens = messages
      .filter(message => message.part === part)
      .reduce((sum, each) => sum + each.tokens, 0)
    return { part, tokens }
  }).filter(({ tokens }) => tokens > 0)
  return (
    <section class="stack" aria-label={`What step ${step} read`}>
      <div class="input-bar" aria-hidden="true">
        {parts.map(({ part, tokens }) => (
          <span key={part} class={`part-${part.toLowerCase()}`} style={{ flexGrow: tokens }} />
        ))}
      </div>
      <ul class="row note" aria-label="Tokens by part">
        {parts.map(({ part, tokens }) => (
          <li key={part} class={`part-${part.toLowerCase()}`}>
            {part} {count(tokens)}
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
