import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { RunEvent, RunPage, RunRecord, RunStatus, RunSummary } from '../api.ts'
import { isObject, jsonIn, objectIn, textOf } from '../json.ts'
import type { Redact } from '../redact.ts'
import { transaction } from './database.ts'

const PREVIEW_LENGTH = 200
/** How much of each text the text filter looks at, in characters. */
const SEARCHED_LENGTH = 1_000
/** What the search's index can find; anything shorter is looked for in the previews. */
const MIN_SEARCH_LENGTH = 3

/** A finished run as it happened, secrets and all: they are taken out on the way in. */
export interface FinishedRun {
  /** As `reserve` gave it out; absent: the next. */
  readonly id?: number
  readonly agentId: string
  readonly at: Date
  readonly status: RunStatus
  readonly httpStatus: number
  readonly wallMs: number
  /** The request's body as it was sent. */
  readonly request: string
  /** What came back, as text. */
  readonly reply: string
  readonly broken: readonly string[]
  /** Absent: the agent streamed none. */
  readonly events?: readonly RunEvent[]
  /** Absent: a person's. */
  readonly byChecks?: boolean
}

export interface RunFilter {
  readonly agent?: string | undefined
  readonly status?: RunStatus | undefined
  /** Only runs that the acceptance checks made, or only others. */
  readonly byChecks?: boolean | undefined
  /** Only runs that break the contract. */
  readonly violations?: boolean | undefined
  /** Somewhere in the task's id, the input or the output; whatever the case. */
  readonly text?: string | undefined
  /** Only runs recorded before this one. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The columns of a summary, by its names. */
const SUMMARY = `id, agent_id AS agentId, task_id AS taskId, at, status, http_status AS httpStatus,
  duration_sec AS durationSec, wall_ms AS wallMs, input_tokens AS inputTokens, output_tokens AS outputTokens,
  steps, input, output, violations, by_checks AS byChecks`

type Row = Omit<RunSummary, 'at' | 'byChecks'> & { readonly at: number; readonly byChecks: number }
type Texts = Record<'request' | 'reply' | 'broken' | 'events', string> & { readonly log: string | null }

/** Every run that the platform took. */
export class RunLog {
  readonly #database: DatabaseSync
  readonly #redact: Redact

  constructor(database: DatabaseSync, redact: Redact) {
    this.#database = database
    this.#redact = redact
  }

  /** A number for a run that begins, which no other run gets. */
  reserve(): number {
    const { lastInsertRowid } = this.#database.prepare('INSERT INTO run_numbers DEFAULT VALUES').run()
    this.#database.prepare('DELETE FROM run_numbers WHERE id = ?').run(lastInsertRowid)
    return Number(lastInsertRowid)
  }

  /** @returns the run's number */
  add(run: FinishedRun): number {
    const request = this.#readable(run.request)
    const reply = this.#redact.text(run.reply)
    const { metrics, output, error } = objectIn(reply)
    const shown = textOf(output) || textOf(error)
    const input = textOf(request.input)
    const taskId = textOf(request.task_id).slice(0, PREVIEW_LENGTH)
    const searched = [taskId, ...[input, shown].map(text => text.slice(0, SEARCHED_LENGTH))].join('\n')
    const events = JSON.stringify(this.#redact.json(run.events ?? []))
    return transaction(this.#database, () => {
      const id = run.id ?? this.reserve()
      const insert = (into: string, ...values: SQLInputValue[]) =>
        this.#database
          .prepare(`INSERT INTO ${into} VALUES (${values.map(() => '?').join(', ')})`)
          .run(...values)
      insert(
        `runs (id, agent_id, task_id, at, status, http_status, duration_sec, wall_ms, input_tokens, output_tokens,
          steps, input, output, violations, by_checks)`,
        id,
        run.agentId,
        taskId,
        run.at.getTime(),
        run.status,
        run.httpStatus,
        numberOf(metrics, 'duration_sec', Number.isFinite),
        run.wallMs,
        numberOf(metrics, 'input_tokens', Number.isSafeInteger),
        numberOf(metrics, 'output_tokens', Number.isSafeInteger),
        numberOf(metrics, 'steps', Number.isSafeInteger),
        preview(input),
        preview(shown),
        run.broken.length,
        Number(run.byChecks ?? false),
      )
      const broken = JSON.stringify(run.broken.map(this.#redact.text))
      const columns = 'run_id, broken, request, reply, events'
      insert(`run_texts (${columns})`, id, broken, JSON.stringify(request), reply, events)
      insert('run_search (rowid, text)', id, searched)
      return id
    })
  }

  /** Adds to a run what its agent logged meanwhile. */
  addLog(id: number, lines: readonly string[]): void {
    const log = lines.map(this.#redact.text).join('\n')
    this.#database.prepare('UPDATE run_texts SET log = ? WHERE run_id = ?').run(log, id)
  }

  get(id: number): RunRecord | undefined {
    const row = this.#database
      .prepare(
        `SELECT ${SUMMARY}, request, reply, broken, events, log FROM runs JOIN run_texts ON run_id = id WHERE id = ?`,
      )
      .get(id) as (Row & Texts) | undefined
    if (row === undefined) return undefined
    const [request, broken, events] = [row.request, row.broken, row.events].map(text => JSON.parse(text))
    return { ...toSummary(row), request, reply: row.reply, broken, events, log: row.log }
  }

  /** The newest first. */
  page({ agent, status, byChecks, violations, text, before, limit }: RunFilter): RunPage {
    const conditions: string[] = []
    const values: SQLInputValue[] = []
    const where = (condition: string, ...value: SQLInputValue[]) => {
      conditions.push(condition)
      values.push(...value)
    }
    if (agent !== undefined) where('agent_id = ?', agent)
    if (status !== undefined) where('status = ?', status)
    if (byChecks !== undefined) where('by_checks = ?', Number(byChecks))
    if (violations === true) where('violations > 0')
    if (before !== undefined) where('id < ?', before)
    if (text !== undefined && [...text].length >= MIN_SEARCH_LENGTH) {
      where(
        'id IN (SELECT rowid FROM run_search WHERE run_search MATCH ?)',
        `"${text.replaceAll('"', '""')}"`,
      )
    } else if (text) {
      where("instr(lower(concat_ws(' ', task_id, input, output)), lower(?)) > 0", text)
    }
    const clause = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const rows = this.#database
      .prepare(`SELECT ${SUMMARY} FROM runs ${clause} ORDER BY id DESC LIMIT ?`)
      .all(...values, limit + 1) as unknown as Row[]
    const runs = rows.slice(0, limit).map(toSummary)
    return { runs, next: rows.length > limit ? (runs.at(-1)?.id ?? null) : null }
  }

  /** The request as an object; a body that is none stands under `body`. */
  #readable(request: string): Record<string, unknown> {
    const text = this.#redact.text(request)
    const value = jsonIn(text)
    return isObject(value) ? value : { body: text }
  }
}

function toSummary(row: Row): RunSummary {
  const { id, agentId, taskId, status, httpStatus, durationSec, wallMs } = row
  const { inputTokens, outputTokens, steps, input, output, violations } = row
  return {
    ...{ id, agentId, taskId, at: new Date(row.at).toISOString(), status, httpStatus, durationSec, wallMs },
    ...{ inputTokens, outputTokens, steps, input, output, violations, byChecks: row.byChecks === 1 },
  }
}

function preview(text: string): string {
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH - 1)}…` : text
}

/** A figure of the metrics that makes sense, or null. */
function numberOf(metrics: unknown, name: string, fits: (value: unknown) => boolean): number | null {
  if (!isObject(metrics) || !Object.hasOwn(metrics, name)) return null
  const value = metrics[name]
  return fits(value) && Number(value) >= 0 ? Number(value) : null
}
