import type { RecordedEvent, RunSummary } from '../../api.ts'
import type { Common } from '../common.ts'
import type { Agent } from '../known-agent.ts'
import { Run, type RunOrder } from './run.ts'

/** What the dashboard asks an agent for: its events, if it has some, and what its models read. */
const HEADERS = { accept: 'text/event-stream, application/json', prefer: 'model-input' }
/** Of so many runs, the latest, what their models read is kept: a megabyte each at most. */
const TOLD_RUNS = 50

export type Runs = ReturnType<typeof runsUnderway>

/** The runs in progress. */
export function runsUnderway(common: Common) {
  const { onFault } = common
  const underway = new Map<number, Run>()
  /** By number of the run; in memory alone. */
  const modelInputs = new Map<number, readonly RecordedEvent[]>()

  function keepModelInputs({ id, modelInputs: read }: Run): void {
    if (read.length > 0) modelInputs.set(id, read)
    if (modelInputs.size > TOLD_RUNS) modelInputs.delete(modelInputs.keys().next().value!)
  }

  function begin(agent: Agent, order: RunOrder): Run {
    const run = new Run(agent, order, common)
    underway.set(run.id, run)
    void run.ended.then(() => {
      keepModelInputs(run)
      underway.delete(run.id)
    })
    return run
  }

  return {
    begin,

    /** Begins a run that goes on whoever watches it; returns the number of its record. */
    beginAlone(agent: Agent, body: Uint8Array): number {
      const run = begin(agent, { body, headers: HEADERS, byChecks: false })
      waitFor(run).catch(onFault)
      return run.id
    },

    /** Numbers of an agent's runs by people, the latest last. */
    idsOf: (agentId: string) =>
      [...underway.values()]
        .filter(({ agent, order }) => agent.id === agentId && !order.byChecks)
        .map(({ id }) => id),

    /** Adds to the record of a run in progress what its agent has sent so far, without secrets. */
    soFar<Recorded extends RunSummary>(record: Recorded): Recorded {
      const run = underway.get(record.id)
      if (record.status !== 'underway' || run === undefined) return record
      return { ...record, steps: stepsIn(run.events), ...('events' in record && { events: run.shownEvents }) }
    },

    /** What a run's models have read, without secrets; empty if its agent does not tell, or it was long ago. */
    modelInputsOf: (id: number): readonly RecordedEvent[] =>
      underway.get(id)?.modelInputs ?? modelInputs.get(id) ?? [],

    /** Cancels a run, if it is in progress. */
    async cancel(id: number): Promise<void> {
      await underway.get(id)?.cancel('it was cancelled')
    },

    /** Resolves when no run is in progress. */
    async ended(): Promise<void> {
      await Promise.all([...underway.values()].map(run => run.ended))
    },

    /** Hangs up on all agents. */
    async stop(): Promise<void> {
      await Promise.all([...underway.values()].map(run => run.cancel('the platform stopped')))
    },
  }
}

async function waitFor(run: Run): Promise<void> {
  const { body } = await run.answer()
  await body?.pipeTo(new WritableStream())
}

/** How many steps have begun. */
function stepsIn(events: readonly RecordedEvent[]): number {
  return new Set(events.map(({ data }) => data.step).filter(step => typeof step === 'number')).size
}
