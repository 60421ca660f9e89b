import type { RunRecord } from '../../../api.ts'
import { shownIn } from '../../../json.ts'
import { Badge } from '../../parts/badge.tsx'
import { Pending, Section, ViewPage } from '../../parts/page.tsx'
import { AgentText, Inline, TimeText } from '../../parts/text.tsx'
import { type Both, both, comparedFigures, requestsOf } from '../../state/differences.ts'
import { useRecord } from '../../state/record.ts'
import { sampleOf } from '../../state/repeats.ts'
import { hrefOf } from '../../state/route.ts'
import { answeringStep, stepsIn } from '../../state/run-steps.ts'
import { rangeOf } from '../run/repeats.tsx'
import { BothSteps } from './both-steps.tsx'
import { BothTexts } from './both-texts.tsx'

/** Two runs side by side: what was asked, answered, and done, and what it took. */
export function ComparisonView({ ids: [first, second] }: { ids: Both<number> }) {
  const one = useRecord(first)
  const other = useRecord(second)
  return (
    <ViewPage
      title={`Runs ${first} and ${second}`}
      aside={<a href={hrefOf(`runs/${second}/${first}`)}>The other way round</a>}
    >
      {one.data === null || other.data === null ? (
        <Pending error={one.error ?? other.error} />
      ) : (
        <Comparison runs={[one.data, other.data]} />
      )}
    </ViewPage>
  )
}

function Comparison({ runs }: { runs: Both<RunRecord> }) {
  return (
    <div class="stack comparison">
      <div class="stack pair">
        {runs.map((run, index) => (
          <RunHead key={index} run={run} />
        ))}
      </div>
      <Asked runs={runs} />
      <Section title="Answer">
        <BothTexts runs={runs} name="answer" texts={both(runs, answerIn)} absent="No answer" />
      </Section>
      <div class="stack split">
        <Section title="Figures">
          <Figures runs={runs} />
        </Section>
        <Section title="Steps">
          <BothSteps runs={runs} />
        </Section>
      </div>
    </div>
  )
}

function RunHead({ run: { id, agentId, at, status, byChecks } }: { run: RunRecord }) {
  return (
    <div class="panel row between">
      <h2>
        <a href={hrefOf(`runs/${id}`)}>Run {id}</a>
      </h2>
      <span class="note">
        <Inline text={agentId} />, <TimeText at={at} />
        {byChecks && ', by the checks'}
      </span>
      <Badge state={status} />
    </div>
  )
}

/** What was asked: the task in any case, and whatever else differs. */
function Asked({ runs }: { runs: Both<RunRecord> }) {
  const rows = requestsOf(runs)
  const same = rows.filter(({ texts: [first, second] }) => first === second)
  const other = rows.filter(row => !same.includes(row))
  const task = same.find(({ name }) => name === 'Task')
  return (
    <Section title="Asked">
      {task && <AgentText text={task.texts[0]} label="Task of both" />}
      {other.map(({ name, texts }, index) => (
        <div key={index} class="stack field">
          <h3>
            <Inline text={name} />
          </h3>
          <BothTexts runs={runs} name={name} texts={texts} absent="Not given" />
        </div>
      ))}
      <p class="note">
        {other.length === 0
          ? 'Both were asked the same.'
          : same.length > 0 && `The same in both: ${same.map(({ name }) => name).join(', ')}.`}
      </p>
    </Section>
  )
}

/** Of a run in progress, as far as the model has written it. */
function answerIn({ status, events, reply }: RunRecord): string {
  if (status === 'underway') return answeringStep(stepsIn(events))?.text ?? ''
  return shownIn(reply)
}

function Figures({ runs }: { runs: Both<RunRecord> }) {
  const rows = comparedFigures(runs)
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">Figure</span>
            </th>
            {runs.map((run, index) => (
              <th key={index} scope="col">
                Run {run.id}
                {run.repeats.length > 1 && <span class="note range">median of {sampleOf(run).length}</span>}
              </th>
            ))}
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, spreads, text, change, isTold }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {spreads.map((spread, index) => (
                <td key={index}>
                  {text(spread?.median ?? null)}
                  {spread && <span class="note range">{rangeOf(spread, text)}</span>}
                </td>
              ))}
              <td>
                {isTold ? (
                  <strong>{change}</strong>
                ) : (
                  change || <span class="note">{change === null ? '–' : 'same'}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        {rows.some(({ isTold }) => isTold)
          ? 'Bold: beyond the noise. All repeats of one run lie beyond all of the other.'
          : 'No change is beyond the noise: that takes runs that were repeated, five times each, and all of one beyond all of the other.'}
      </p>
    </>
  )
}
