import type { DatabaseSync } from 'node:sqlite'
import type { RecordedEvent, RunRecord, RunStatus, RunSummary } from '../api.ts'
import { isObject, jsonIn, objectIn, textOf } from '../json.ts'
import type { Redact } from '../redact.ts'

const PREVIEW_LENGTH = 200
/** How much of each text the text filter searches, in characters. */
const SEARCHED_LENGTH = 1_000

/** A finished run, still with secrets, which are removed before it is stored. What is absent is as in a run by a person, unanswered. */
export interface FinishedRun
  extends Pick<RunRecord, 'agentId' | 'status' | 'httpStatus' | 'wallMs' | 'reply' | 'broken'>,
    Partial<Pick<RunRecord, 'agentStatus' | 'events' | 'byChecks'>> {
  /** From `nextNumber`; absent: the next number. */
  readonly id?: number
  readonly at: Date
  /** The request's body as sent. */
  readonly request: string
}

/** Which runs to list; absent members mean all. */
export interface RunFilter {
  readonly agent?: string | undefined
  readonly status?: RunStatus | undefined
  /** Only runs by the acceptance checks, or only others. */
  readonly byChecks?: boolean | undefined
  /** Text in the task's id, the input or the output, ignoring case. */
  readonly text?: string | undefined
  /** Only runs recorded before this one. */
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

const LIST = `SELECT summary FROM runs WHERE id < :before AND instr(searched, :text) > 0
  AND (:agent IS NULL OR summary ->> 'agentId' = :agent) AND (:status IS NULL OR summary ->> 'status' = :status)
  AND (:byChecks IS NULL OR summary ->> 'byChecks' = :byChecks)
  ORDER BY id DESC LIMIT :limit`

/** Every run that the platform accepted. */
export function runLog(database: DatabaseSync, redact: Redact) {
  let { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM runs').get() as { last: number }

  /** The number of a run that is starting. */
  function nextNumber(): number {
    last += 1
    return last
  }

  function get(id: number): RunRecord | undefined {
    const found = database.prepare('SELECT summary, texts FROM runs WHERE id = ?').get(id)
    return found && { ...JSON.parse(String(found.summary)), ...JSON.parse(String(found.texts)) }
  }

  function save({ request, reply, broken, events, log, ...summary }: RunRecord): void {
    const searched = [summary.taskId, textOf(request.input), shownIn(reply)]
      .map(text => text.slice(0, SEARCHED_LENGTH).toLowerCase())
      .join('\n')
    database
      .prepare('INSERT OR REPLACE INTO runs (id, summary, searched, texts) VALUES (?, ?, ?, ?)')
      .run(
        summary.id,
        JSON.stringify(summary),
        searched,
        JSON.stringify({ request, reply, broken, events, log }),
      )
  }

  /** The request as an object; a body that is not one is under `body`. */
  function readable(request: string): Record<string, unknown> {
    const text = redact.text(request)
    const value = jsonIn(text)
    return isObject(value) ? value : { body: text }
  }

  return {
    nextNumber,
    get,

    /** @returns the run's number */
    add({ id = nextNumber(), agentStatus = null, events = [], byChecks = false, at, ...run }: FinishedRun) {
      const request = readable(run.request)
      const reply = redact.text(run.reply)
      const { metrics } = objectIn(reply)
      save({
        ...run,
        ...{ id, agentStatus, byChecks, at: at.toISOString(), request, reply, log: null },
        taskId: textOf(request.task_id).slice(0, PREVIEW_LENGTH),
        durationSec: numberOf(metrics, 'duration_sec', Number.isFinite),
        inputTokens: numberOf(metrics, 'input_tokens', Number.isSafeInteger),
        outputTokens: numberOf(metrics, 'output_tokens', Number.isSafeInteger),
        steps: numberOf(metrics, 'steps', Number.isSafeInteger),
        ...costIn(events),
        input: preview(textOf(request.input)),
        output: preview(shownIn(reply)),
        violations: run.broken.length,
        broken: run.broken.map(redact.text),
        events: redact.json(events) as readonly RecordedEvent[],
      })
      return id
    },

    /** Adds the lines that the agent logged during a run. */
    addLog(id: number, lines: readonly string[]): void {
      const record = get(id)
      if (record) save({ ...record, log: lines.map(redact.text).join('\n') })
    },

    /** The newest first. */
    list(filter: RunFilter): RunSummary[] {
      const { agent = null, status = null, byChecks, text = '', before, limit = -1 } = filter
      const rows = database.prepare(LIST).all({
        ...{ agent, status, limit, text: text.toLowerCase(), before: before ?? Number.MAX_SAFE_INTEGER },
        ...{ byChecks: byChecks === undefined ? null : +byChecks },
      })
      return rows.map(({ summary }) => JSON.parse(String(summary)))
    },
  }
}

/** The text that a reply shows its reader. */
function shownIn(reply: string): string {
  const { output, error } = objectIn(reply)
  return textOf(output) || textOf(error)
}

function costIn(events: readonly RecordedEvent[]) {
  const { data } = events.findLast(({ type }) => type === 'run_finished') ?? {}
  return {
    costUsd: numberOf(data, 'cost_usd', Number.isFinite),
    costEstimated: data?.cost_estimated === true,
  }
}

function preview(text: string): string {
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH - 1)}…` : text
}

/** A plausible figure from the metrics, or null. */
function numberOf(metrics: unknown, name: string, fits: (value: unknown) => boolean): number | null {
  if (!isObject(metrics) || !Object.hasOwn(metrics, name)) return null
  const value = metrics[name]
  return fits(value) && Number(value) >= 0 ? Number(value) : null
}
