import { AgentText } from '../../parts/agent-text.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { curlCommand, type Outcome, prettyJson } from '../../state/outcome.ts'

/** The request and the reply as they went over the wire, and a command that does it again. */
export function Exchange({ outcome: { agentId, request, reply } }: { outcome: Outcome }) {
  return (
    <details class="exchange">
      <summary>Raw exchange</summary>
      <Part title="Request" text={JSON.stringify(request, null, 2)} />
      <Part title="Reply" text={prettyJson(reply)} />
      <Part title="curl" text={curlCommand(location.origin, agentId, request)} />
    </details>
  )
}

function Part({ title, text }: { title: string; text: string }) {
  return (
    <div class="exchange-part">
      <div class="section-head">
        <h3>{title}</h3>
        <CopyButton text={text} what={title} />
      </div>
      <AgentText text={text} label={title} code />
    </div>
  )
}
