import type { CheckRun, RunRecord } from '../../../api.ts'
import { Worded } from '../../parts/text.tsx'
import { usePoll } from '../../state/api-client.ts'
import { hrefOf } from '../../state/route.ts'

const EVERY_MS = 3000

/** Which acceptance checks made a run, and which of their assertions; nothing of a run by a person. */
export function MadeBy({ run: { id, check = null, byChecks } }: { run: RunRecord }) {
  const path = check === null ? null : `/api/checks/${check}`
  const { data } = usePoll<CheckRun>(path, ({ state }) => (state === 'underway' ? EVERY_MS : null))
  if (!byChecks) return null
  if (check === null) return <>, by the checks</>
  const assertions = data?.report?.groups.flatMap(group => group.assertions) ?? []
  const made = assertions.filter(({ runs }) => runs?.includes(id))
  return (
    <>
      , by <a href={hrefOf(`checks/${check}`)}>checks {check}</a>
      {made.map((assertion, index) => (
        <span key={assertion.id}>
          {index === 0 ? ': ' : '; '}
          <a href={hrefOf(`checks/${check}`, { at: assertion.id })}>
            <Worded text={assertion.title} />
          </a>
        </span>
      ))}
    </>
  )
}
