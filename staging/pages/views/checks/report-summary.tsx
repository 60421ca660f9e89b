import { type Assertion, type Group, kindsOf, type Report } from '../../../report.ts'
import { Icon, type Look, lookOf } from '../../parts/badge.tsx'
import { plural } from '../../state/format.ts'

interface ReportSummaryProps {
  readonly report: Report
  /** The address of an assertion. */
  readonly hrefTo: (assertion: Assertion) => string
}

/** The verdict in a sentence that links to the assertions worth reading; before that, the progress of each group. */
export function ReportSummary({ report: { groups, verdict, requests }, hrefTo }: ReportSummaryProps) {
  const all = groups.flatMap(({ assertions }) => assertions)
  const passed = all.filter(({ verdict }) => verdict === 'pass').length
  const done = groups.filter(({ state }) => state === 'done').length
  return (
    <section class="panel stack" aria-label="Summary">
      <div>
        <p class="sentence" role="status">
          {passed} of {plural(all.length, 'assertion')} hold
          {kindsOf(all).map(({ words, all: [first, ...others] }) => (
            <span key={words}>
              , <a href={hrefTo(first!)}>{`${others.length + 1} ${words}`}</a>
            </span>
          ))}
          {verdict === null ? ' so far' : ''}.
        </p>
        <p class="note">
          {verdict === null && `${done} of ${groups.length} groups done, `}
          {plural(requests, 'request')} to the agent, not counting /health
        </p>
      </div>
      {verdict === null && (
        <ol class="group-progress">
          {groups.map(group => (
            <GroupProgress key={group.id} group={group} />
          ))}
        </ol>
      )}
    </section>
  )
}

function GroupProgress({ group }: { group: Group }) {
  const { tone, icon, word } = lookOfGroup(group)
  return (
    <li class={`tone-${tone}`}>
      <Icon name={icon} />
      <span class="group-name">{group.title}</span>
      <span class="note">{word}</span>
    </li>
  )
}

/** A group takes the verdict of its worst assertion; advisory assertions cannot fail it. */
export function lookOfGroup({ state, assertions }: Group): Look {
  if (state === 'waiting') return { tone: 'quiet', icon: 'ring', word: 'waiting' }
  if (state === 'underway') return lookOf('underway')
  const [worst] = kindsOf(assertions.filter(({ mandatory }) => mandatory))
  if (worst === undefined) return lookOf('passed')
  const isFailed = worst.all[0]!.verdict === 'fail'
  const word = `${worst.all.length} ${isFailed ? 'failed' : 'could not run'}`
  return { ...lookOf(isFailed ? 'failed' : 'incomplete'), word }
}
