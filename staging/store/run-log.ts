import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { RunPage, RunRecord, RunStatus, RunSummary } from '../api.ts'
import type { Redact } from '../redact.ts'
import { transaction } from './database.ts'

const PREVIEW_LENGTH = 200
/** How much of each text the text filter looks at, in characters. */
const SEARCHED_LENGTH = 1_000
/** What the search's index can find; anything shorter is looked for in the previews. */
const MIN_SEARCH_LENGTH = 3

/** A finished run as it happened, secrets and all: they are taken out on the way in. */
export interface FinishedRun {
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
}

export interface RunFilter {
  readonly agent?: string | undefined
  readonly status?: RunStatus | undefined
  /** Only runs that break the contract. */
  readonly violations?: boolean | undefined
  /** Somewhere in the task's id, the input or the output; whatever the case. */
  readonly text?: string | undefined
  /** Only runs recorded before this one. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Every run that the staging route took. */
export class RunLog {
  readonly #database: DatabaseSync
  readonly #redact: Redact

  constructor(database: DatabaseSync, redact: Redact) {
    this.#database = database
    this.#redact = redact
  }

  /** @returns the run's number */
  add(run: FinishedRun): number {
    const request = this.#readable(run.request)
    const reply = this.#redact.text(run.reply)
    const { metrics, output, error } = objectOf(reply) ?? {}
    const shown = textOf(output) || textOf(error)
    const input = textOf(request.input)
    const taskId = textOf(request.task_id).slice(0, PREVIEW_LENGTH)
    const searched = [taskId, ...[input, shown].map(text => text.slice(0, SEARCHED_LENGTH))].join('\n')
    return transaction(this.#database, () => {
      const { lastInsertRowid } = this.#database
        .prepare(
          `INSERT INTO runs (agent_id, task_id, at, status, http_status, duration_sec, wall_ms, input_tokens,
            output_tokens, steps, input, output, violations) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
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
        )
      const id = Number(lastInsertRowid)
      this.#database
        .prepare('INSERT INTO run_texts (run_id, broken, request, reply) VALUES (?, ?, ?, ?)')
        .run(id, JSON.stringify(run.broken.map(this.#redact.text)), JSON.stringify(request), reply)
      this.#database.prepare('INSERT INTO run_search (rowid, text) VALUES (?, ?)').run(id, searched)
      return id
    })
  }

  get(id: number): RunRecord | undefined {
    const row = this.#database
      .prepare('SELECT * FROM runs JOIN run_texts ON run_id = id WHERE id = ?')
      .get(id) as (RunRow & TextRow) | undefined
    if (row === undefined) return undefined
    const { request, reply, broken } = row
    return { ...toSummary(row), request: JSON.parse(request), reply, broken: JSON.parse(broken) }
  }

  /** The newest first. */
  page({ agent, status, violations, text, before, limit }: RunFilter): RunPage {
    const conditions: string[] = []
    const values: SQLInputValue[] = []
    const where = (condition: string, ...value: SQLInputValue[]) => {
      conditions.push(condition)
      values.push(...value)
    }
    if (agent !== undefined) where('agent_id = ?', agent)
    if (status !== undefined) where('status = ?', status)
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
      .prepare(`SELECT * FROM runs ${clause} ORDER BY id DESC LIMIT ?`)
      .all(...values, limit + 1) as unknown as RunRow[]
    const runs = rows.slice(0, limit).map(toSummary)
    return { runs, next: rows.length > limit ? (runs.at(-1)?.id ?? null) : null }
  }

  /** The request as an object; a body that is none stands under `body`. */
  #readable(request: string): Record<string, unknown> {
    const text = this.#redact.text(request)
    return objectOf(text) ?? { body: text }
  }
}

interface RunRow {
  readonly id: number
  readonly agent_id: string
  readonly task_id: string
  readonly at: number
  readonly status: RunStatus
  readonly http_status: number
  readonly duration_sec: number | null
  readonly wall_ms: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly steps: number | null
  readonly input: string
  readonly output: string
  readonly violations: number
}

interface TextRow {
  readonly request: string
  readonly reply: string
  readonly broken: string
}

function toSummary(row: RunRow): RunSummary {
  return {
    id: row.id,
    agentId: row.agent_id,
    taskId: row.task_id,
    at: new Date(row.at).toISOString(),
    status: row.status,
    httpStatus: row.http_status,
    durationSec: row.duration_sec,
    wallMs: row.wall_ms,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    steps: row.steps,
    input: row.input,
    output: row.output,
    violations: row.violations,
  }
}

/** The JSON object that a text holds, if it does. */
function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function preview(text: string): string {
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH - 1)}…` : text
}

/** A figure of the metrics that makes sense, or null. */
function numberOf(metrics: unknown, name: string, fits: (value: unknown) => boolean): number | null {
  if (typeof metrics !== 'object' || metrics === null || !Object.hasOwn(metrics, name)) return null
  const value = (metrics as Record<string, unknown>)[name]
  return fits(value) && Number(value) >= 0 ? Number(value) : null
}
