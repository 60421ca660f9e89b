import { randomUUID } from 'node:crypto'
import { HTTPException } from 'hono/http-exception'
import type { RecordedEvent, RunSummary } from '../../api.ts'
import { objectIn, textOf } from '../../json.ts'
import type { Agent, Common } from '../common.ts'
import { type RunOrder, StagingRun } from './run.ts'

/** What the dashboard asks an agent for: its events, if it has some, and what its models read. */
const HEADERS = { accept: 'text/event-stream, application/json', prefer: 'model-input' }
/** Of so many runs, the latest, what their models read is kept: a megabyte each at most. */
const TOLD_RUNS = 50

export type RunsUnderway = ReturnType<typeof runsUnderway>

/** The runs in progress. */
export function runsUnderway(common: Common) {
  const { onFault } = common
  const underway = new Map<number, StagingRun>()
  /** By number of the run; in memory alone. */
  const modelInputs = new Map<number, readonly RecordedEvent[]>()

  function keepModelInputs({ id, modelInputs: read }: StagingRun): void {
    if (read.length > 0) modelInputs.set(id, read)
    if (modelInputs.size > TOLD_RUNS) modelInputs.delete(modelInputs.keys().next().value!)
  }
  /** How many repeats are to begin yet, by the number of their first. */
  const left = new Map<number, number>()

  function begin(agent: Agent, order: RunOrder): StagingRun {
    const run = new StagingRun(agent, order, common)
    underway.set(run.id, run)
    void run.ended.then(() => {
      keepModelInputs(run)
      underway.delete(run.id)
    })
    return run
  }

  /** Waits for a run, and makes its repeats one after another: together they would share the agent's time. */
  async function repeated(first: StagingRun): Promise<void> {
    for (let run = first; ; ) {
      const { body } = await run.answer()
      await body?.pipeTo(new WritableStream())
      const more = left.get(first.id) ?? 0
      if (more === 0) return
      left.set(first.id, more - 1)
      const { agent, order } = first
      run = begin(agent, { ...order, body: asNewTask(order.body), repeatOf: first.id })
    }
  }

  return {
    begin,

    /** Begins a run that goes on whoever watches it, as do its repeats; returns the number of its record. */
    beginAlone(agent: Agent, body: Uint8Array, times = 1): number {
      const order = { body, headers: HEADERS }
      const run = begin(agent, times > 1 ? { ...order, repeatOf: 'itself' } : order)
      left.set(run.id, times - 1)
      repeated(run)
        .catch(onFault)
        .finally(() => left.delete(run.id))
      return run.id
    },

    /** How many more repeats of a run will begin. */
    leftOf: ({ repeatOf }: RunSummary) => left.get(repeatOf ?? 0) ?? 0,

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

    /** Cancels a run, if it is in progress, with the repeats that have not begun. */
    async cancel(id: number): Promise<void> {
      const run = underway.get(id)
      const { repeatOf } = run?.order ?? {}
      left.delete(repeatOf === 'itself' ? id : (repeatOf ?? 0))
      await run?.cancel('it was cancelled')
    },

    /**
     * Kills the process that runs the task; the run goes on at another.
     *
     * @param lost how many the run had lost before the one that is meant: if that has been lost since, another is left alone
     * @throws {HTTPException} 409 unless it is in progress on a replica that the platform has started
     */
    async stopReplica(id: number, lost?: number): Promise<void> {
      const run = underway.get(id)
      if (run?.replica === undefined) {
        const message = `run ${id}: expected one in progress on an agent with replicas (--replicas)`
        throw new HTTPException(409, { message })
      }
      if (lost === undefined || lost === run.lost) await run.replica.kill()
    },

    /** Resolves when no run is in progress, and begins no repeat. */
    async ended(): Promise<void> {
      left.clear()
      await Promise.all([...underway.values()].map(run => run.ended))
    },

    /** Hangs up on all agents. */
    async stop(): Promise<void> {
      left.clear()
      await Promise.all([...underway.values()].map(run => run.cancel('the platform stopped')))
    },
  }
}

/** The same task under a new id, unless it is a test's: a UUID may return an earlier answer. */
function asNewTask(body: Uint8Array): Uint8Array {
  const request = objectIn(new TextDecoder().decode(body))
  if (!('task_id' in request) || textOf(request.task_id).startsWith('test-')) return body
  return new TextEncoder().encode(JSON.stringify({ ...request, task_id: randomUUID() }))
}

/** How many steps have begun. */
function stepsIn(events: readonly RecordedEvent[]): number {
  return new Set(events.map(({ data }) => data.step).filter(step => typeof step === 'number')).size
}
