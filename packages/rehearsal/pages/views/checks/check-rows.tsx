import type { CheckRun } from '../../../api.ts'
import { passedText } from '../../../report.ts'
import { Badge } from '../../parts/badge.tsx'
import { Pending } from '../../parts/page.tsx'
import { Inline, Moment, Worded } from '../../parts/text.tsx'
import { agentPath, usePoll } from '../../state/api-client.ts'
import { took } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'

const EVERY_MS = 3000

type CheckList = { readonly checks: readonly CheckRun[] }

/**
 * The latest acceptance checks, newest first.
 *
 * @param agentId absent: of all agents
 */
export function useCheckList(agentId?: string) {
  const path = agentId === undefined ? '/api/checks' : agentPath(agentId, 'checks')
  return usePoll<CheckList>(path, () => EVERY_MS)
}

/** An agent's latest acceptance checks. */
export function ChecksOf({ agentId }: { agentId: string }) {
  const { data, error } = useCheckList(agentId)
  if (data === null) return <Pending error={error} />
  if (data.checks.length === 0) return <p class="note">Not checked yet.</p>
  return <CheckRows checks={data.checks} />
}

/** @param isNamed whether each row names its agent */
export function CheckRows({ checks, isNamed = false }: { checks: readonly CheckRun[]; isNamed?: boolean }) {
  return (
    <ul class="rows">
      {checks.map(check => (
        <li key={check.id}>
          <Badge state={check.state} />
          <a href={hrefOf(`checks/${check.id}`)}>Checks {check.id}</a>
          <p class="note">
            {isNamed && (
              <>
                <Inline text={check.agentId} /> ·{' '}
              </>
            )}
            <Moment at={check.startedAt} since />
            {tookOf(check)}
            {check.onCommandLine && <span class="tag">command line</span>}
          </p>
          <p class="excerpt">
            {check.found && passedText(check.found.hold, check.found.of)}
            {check.found?.cause && (
              <>
                {'. '}
                <Worded text={check.found.cause} />
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}

function tookOf({ startedAt, finishedAt }: CheckRun): string {
  return finishedAt === null ? '' : `, took ${took(Date.parse(finishedAt) - Date.parse(startedAt))}`
}
