import type { DatabaseSync } from 'node:sqlite'
import { errorResponse } from '@agent-task-service/wire/contract'
import { truncate } from '@agent-task-service/wire/untrusted'
import type { RecordedEvent, RunRecord, RunSummary } from '../api.ts'
import { isObject, parseJson, shownIn, textOf } from '../json.ts'
import type { Redact } from '../redact.ts'
import { causeIn, figuresIn, PREVIEW_LENGTH } from './figures-in-reply.ts'
import { runFigures } from './run-figures.ts'
import { idsOf, prepareFilters, type RunQuery } from './run-filter.ts'

/** How much of each text the text filter searches, in characters. */
const SEARCHED_LENGTH = 1_000

/** A run that begins, still with secrets, which are removed before it is stored. */
export interface RunBegin {
  readonly agentId: string
  readonly at: Date
  /** The request's body as sent. */
  readonly request: string
  /** Absent: a person made it. */
  readonly byChecks?: boolean
  /** Number of the checks; absent: not known. */
  readonly check?: number | null
  /** Number of the first of its repeats; absent: the task runs once. */
  readonly repeatOf?: number | 'itself' | undefined
}

/** How a run ended, likewise. What is absent is as in a run without an answer. */
export interface RunEnd
  extends Pick<RunRecord, 'status' | 'httpStatus' | 'wallMs' | 'reply' | 'broken'>,
    Partial<Pick<RunRecord, 'agentStatus' | 'headers' | 'events'>> {}

export type StoredRun = Omit<RunRecord, 'before' | 'repeats' | 'repeatsLeft' | 'modelInputs'>

type Asked = 'id' | 'agentId' | 'at' | 'byChecks' | 'request' | 'taskId' | 'input'

/** What a record holds until its run ends, besides what was asked. */
const UNANSWERED: Omit<StoredRun, Asked> = {
  ...{ status: 'underway', httpStatus: null, agentStatus: null, wallMs: null, durationSec: null },
  ...{ inputTokens: null, outputTokens: null, steps: null, costUsd: null, costEstimated: false },
  ...{ output: '', cause: null, headers: {}, reply: '', violations: 0, broken: [], events: [], log: null },
  ...{ check: null, repeatOf: null },
}

/** How many runs away the one before and the repeats may be. */
const REACH = 500

const BEFORE = `SELECT id FROM (SELECT id, summary FROM runs WHERE id < :first ORDER BY id DESC LIMIT ${REACH})
  WHERE summary ->> 'input' = :input AND summary ->> 'byChecks' = 0 ORDER BY id DESC LIMIT 1`

const REPEATS = `SELECT summary FROM (SELECT id, summary FROM runs WHERE id >= :first ORDER BY id LIMIT ${REACH})
  WHERE summary ->> 'repeatOf' = :first ORDER BY id`

/** What outlives a database that is lost. */
export interface KeptRuns {
  /** The highest number so far. */
  last: number
  /** The runs in progress, by their numbers. */
  readonly underway: Map<number, StoredRun>
}

/** Every run that the platform accepted. */
export function runLog(database: DatabaseSync, redact: Redact, kept: KeptRuns) {
  prepareFilters(database)
  const { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM runs').get()!
  kept.last = Math.max(kept.last, Number(last))
  for (const run of kept.underway.values()) save(run)

  function stored(id: number): StoredRun | undefined {
    const found = database.prepare('SELECT summary, texts FROM runs WHERE id = ?').get(id)
    return (
      found && { ...UNANSWERED, ...JSON.parse(String(found.summary)), ...JSON.parse(String(found.texts)) }
    )
  }

  function get(id: number): Omit<RunRecord, 'repeatsLeft' | 'modelInputs'> | undefined {
    const run = stored(id)
    if (run === undefined) return undefined
    const first = run.repeatOf ?? id
    const before = database.prepare(BEFORE).get({ first, input: run.input })
    const repeats = run.repeatOf === null ? [] : database.prepare(REPEATS).all({ first })
    return {
      ...run,
      before: before === undefined ? null : Number(before.id),
      repeats: repeats.map(({ summary }) => JSON.parse(String(summary))),
    }
  }

  function save({ request, headers, reply, broken, events, log, ...summary }: StoredRun): void {
    const searched = [summary.taskId, textOf(request.input), shownIn(reply)]
      .map(text => text.slice(0, SEARCHED_LENGTH).toLowerCase())
      .join('\n')
    database
      .prepare('INSERT OR REPLACE INTO runs (id, summary, searched, texts) VALUES (?, ?, ?, ?)')
      .run(
        summary.id,
        JSON.stringify(summary),
        searched,
        JSON.stringify({ request, headers, reply, broken, events, log }),
      )
  }

  /** The request as an object; a body that is not one is under `body`. */
  function readable(request: string): Record<string, unknown> {
    const text = redact.text(request)
    const value = parseJson(text)
    return isObject(value) ? value : { body: text }
  }

  /** @returns the run's number */
  function begin({ agentId, at, byChecks = false, check = null, repeatOf, ...run }: RunBegin): number {
    const request = readable(run.request)
    const id = kept.last + 1
    const begun: StoredRun = {
      ...UNANSWERED,
      ...{ id, agentId, byChecks, check, at: at.toISOString(), request },
      repeatOf: repeatOf === 'itself' ? id : (repeatOf ?? null),
      taskId: textOf(request.task_id).slice(0, PREVIEW_LENGTH),
      input: truncate(textOf(request.input), PREVIEW_LENGTH),
    }
    save(begun)
    kept.last = id
    kept.underway.set(id, begun)
    return id
  }

  function end(id: number, { agentStatus = null, headers = {}, events = [], ...run }: RunEnd): void {
    const reply = redact.text(run.reply)
    const broken = run.broken.map(redact.text)
    save({
      ...(kept.underway.get(id) ?? stored(id)!),
      ...run,
      ...{ agentStatus, reply },
      headers: redact.json(headers) as RunRecord['headers'],
      ...figuresIn(reply, events),
      violations: run.broken.length,
      broken,
      cause: run.status === 'success' ? null : causeIn(reply, broken),
      events: redact.json(events) as readonly RecordedEvent[],
    })
    kept.underway.delete(id)
  }

  function list(query: RunQuery): RunSummary[] {
    const summary = database.prepare('SELECT summary FROM runs WHERE id = ?')
    return idsOf(database, query).map(id => JSON.parse(String(summary.get(id)!.summary)))
  }

  /** The runs that match now, each with its whole texts, read as the caller asks for it. */
  function* whole(query: RunQuery): Generator<StoredRun> {
    for (const id of idsOf(database, query)) yield stored(id)!
  }

  return {
    /** Ends the runs of a process that has gone: by themselves they never will. */
    endGone(): void {
      for (const { id, agentId, taskId } of list({ status: 'underway' })) {
        const reply = JSON.stringify(errorResponse(taskId, `the platform stopped before ${agentId} replied`))
        end(id, { status: 'cancelled', httpStatus: 499, wallMs: null, reply, broken: [] })
      }
    },

    begin,
    end,
    get,
    list,
    whole,
    figures: runFigures(database),

    /** A run that has ended already; returns its number. */
    add({ agentId, at, request, byChecks, check, repeatOf, ...how }: RunBegin & RunEnd): number {
      const id = begin({ agentId, at, request, byChecks, check, repeatOf })
      end(id, how)
      return id
    },

    /** Adds the lines that the agent logged during a run. */
    addLog(id: number, lines: readonly string[]): void {
      const record = stored(id)
      if (record) save({ ...record, log: lines.map(redact.text).join('\n') })
    },
  }
}
