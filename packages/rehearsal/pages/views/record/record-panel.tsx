import { useMemo } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { isObject } from '../../../json.ts'
import { Pending, Section, ViewPage } from '../../parts/page.tsx'
import { AgentText, Inline } from '../../parts/text.tsx'
import { indented, plural } from '../../state/format.ts'
import { useRecord } from '../../state/record.ts'
import type { ShownRecord } from '../../state/replicas.ts'
import { hrefOf } from '../../state/route.ts'
import { answeringStep, stepsIn } from '../../state/run-steps.ts'
import { Repeats } from '../run/repeats.tsx'
import { RawExchange } from './exchange.tsx'
import { RecordHead } from './record-head.tsx'
import { ReplicaLanes } from './replica-lanes.tsx'
import { Result } from './result.tsx'
import { RunProgress } from './run-progress.tsx'
import { RunWork } from './run-work.tsx'

/** The full page of one run. */
export function RecordView({ id }: { id: number }) {
  const { data: record, error } = useRecord(id)
  return (
    <ViewPage title={`Run ${id}`} aside={<a href={hrefOf('runs')}>History</a>}>
      {record === null ? <Pending error={error} /> : <RecordPanel record={record} isPage />}
    </ViewPage>
  )
}

/**
 * A run, in progress or ended: its answer beside its steps.
 *
 * @param isPage whether it has a page of its own, with its task
 */
export function RecordPanel({ record, isPage = false }: { record: ShownRecord; isPage?: boolean }) {
  const run = useMemo(() => stepsIn(record.events), [record])
  const isUnderway = record.status === 'underway'
  const answering = answeringStep(run)
  const textSoFar = answering?.text ?? ''
  return (
    <section class="stack record" tabIndex={-1} aria-label={`Run ${record.id}`}>
      <RecordHead record={record} isLinked={!isPage} />
      <Repeats record={record} />
      <ReplicaLanes record={record} />
      <div class="stack halves">
        <div class="stack">
          {isPage && <Task record={record} />}
          {isUnderway ? (
            <RunProgress record={record} answer={textSoFar} />
          ) : (
            <Result record={record} textSoFar={textSoFar} />
          )}
        </div>
        <div class="stack">
          <RunWork run={run} record={record} answering={isUnderway ? answering : undefined} />
          {!isUnderway && <RawExchange record={record} isAll={run.steps.length === 0} />}
        </div>
      </div>
      <p class="sr-only" role="status">
        {isUnderway
          ? `The run is in progress, ${plural(run.steps.length, 'step')} so far`
          : 'The run has ended'}
      </p>
    </section>
  )
}

function Task({ record: { request } }: { record: RunRecord }) {
  const { input, config } = request
  return (
    <Section title="Task">
      <AgentText
        text={typeof input === 'string' ? input : `${JSON.stringify(input)} (not a string)`}
        label="Task text"
      />
      {config && <Config config={config} />}
    </Section>
  )
}

/** Its members, a text as it was written: a prompt has lines. */
function Config({ config }: { config: unknown }) {
  if (!isObject(config)) return <AgentText text={JSON.stringify(config)} label="Config" kind="code" />
  return Object.entries(config).map(([name, value]) => (
    <div key={name} class="stack field">
      <h3>
        <Inline text={name} />
      </h3>
      <AgentText
        text={typeof value === 'string' ? value : indented(JSON.stringify(value))}
        label={`Config: ${name}`}
        kind={typeof value === 'string' ? 'prose' : 'code'}
      />
    </div>
  ))
}
