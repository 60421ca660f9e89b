import { causeText, type Report } from '../../../report.ts'
import { Worded } from '../../parts/text.tsx'
import { AssertionDetails } from './report-group.tsx'

/** What to mend first: the likeliest cause of what failed, why it matters and how to see it. */
export function LikeliestCause({ report: { cause, causeId, groups } }: { report: Report }) {
  if (cause === undefined) return null
  const assertion = groups.flatMap(({ assertions }) => assertions).find(({ id }) => id === causeId)
  const isItself = assertion !== undefined && causeText(assertion) === cause
  return (
    <section class="panel stack tone-bad cause" aria-labelledby="cause">
      <h2 id="cause">Likeliest cause</h2>
      {(isItself ? assertion.title : cause).split('\n').map(line => (
        <p key={line} class="sentence">
          <Worded text={line} />
        </p>
      ))}
      {assertion && <AssertionDetails assertion={assertion} name="the likeliest cause" />}
    </section>
  )
}
