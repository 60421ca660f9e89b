import type { Group, Report } from '../../../report.ts'
import { Icon } from '../../parts/icon.tsx'
import { plural } from '../../state/format.ts'
import { lookOfGroup, tallyOf } from './tally.ts'

/** The verdict in a sentence, and how far each group has come. */
export function ReportSummary({ report }: { report: Report }) {
  return (
    <section class="panel stack" aria-label="Summary">
      <div>
        <p class="sentence" role="status">
          {sentenceOf(report)}
        </p>
        <p class="note">{plural(report.requests, 'request')} to the agent, beside those to /health</p>
      </div>
      <ol class="group-progress">
        {report.groups.map(group => (
          <GroupProgress key={group.id} group={group} />
        ))}
      </ol>
    </section>
  )
}

function GroupProgress({ group }: { group: Group }) {
  const { tone, icon, word } = lookOfGroup(group)
  const { passed, all } = tallyOf(group.assertions)
  return (
    <li class={`tone-${tone}`}>
      <Icon name={icon} />
      <span class="group-name">{group.title}</span>
      <span class="note">
        {group.state === 'done' && <span class="sr-only">{word}, </span>}
        {group.state === 'done' ? `${passed} of ${all}` : word}
      </span>
    </li>
  )
}

function sentenceOf({ verdict, groups }: Report): string {
  const { passed, all, failed, failedAdvisory, notRun, notRunAdvisory } = tallyOf(
    groups.flatMap(({ assertions }) => assertions),
  )
  const done = groups.filter(({ state }) => state === 'done').length
  if (verdict === null)
    return `${done} of ${groups.length} groups done, ${passed} of ${all} assertions hold so far.`
  const rest = [
    failed > 0 && `${failed} mandatory failed`,
    failedAdvisory > 0 && `${failedAdvisory} advisory failed`,
    notRun > 0 && `${notRun} mandatory could not run`,
    notRunAdvisory > 0 && `${notRunAdvisory} advisory could not run`,
  ].filter(Boolean)
  return `${passed} of ${plural(all, 'assertion')} hold${rest.length > 0 ? `; ${rest.join(', ')}` : ''}.`
}
