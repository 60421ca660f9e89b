import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { RecordedEvent, RunPage, RunRecord, RunStatus, RunSummary } from '../api.ts'
import { isObject, jsonIn, objectIn, textOf } from '../json.ts'
import type { Redact } from '../redact.ts'
import { transaction } from './database.ts'

const PREVIEW_LENGTH = 200
/** How much of each text the text filter searches, in characters. */
const SEARCHED_LENGTH = 1_000

/** A finished run, still with secrets; they are removed before it is stored. */
export interface FinishedRun {
  /** From `nextNumber`; absent: the next number. */
  readonly id?: number
  readonly agentId: string
  readonly at: Date
  readonly status: RunStatus
  readonly httpStatus: number
  /** Absent: the agent sent no reply. */
  readonly agentStatus?: number | null
  readonly wallMs: number
  /** The request's body as sent. */
  readonly request: string
  /** The reply as text. */
  readonly reply: string
  readonly broken: readonly string[]
  /** Absent: the agent did not stream. */
  readonly events?: readonly RecordedEvent[]
  /** Absent: a person made the run. */
  readonly byChecks?: boolean
}

interface RunFilter {
  readonly agent?: string | undefined
  readonly status?: RunStatus | undefined
  /** Only runs by the acceptance checks, or only others. */
  readonly byChecks?: boolean | undefined
  /** Text in the task's id, the input or the output, ignoring case. */
  readonly text?: string | undefined
  /** Only runs recorded before this one. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The members of a summary; each is a column. */
const MEMBERS = (
  'id agentId taskId at status httpStatus agentStatus durationSec wallMs inputTokens outputTokens ' +
  'steps costUsd costEstimated input output violations byChecks'
).split(' ')
const columnOf = (member: string) => member.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
const SUMMARY = MEMBERS.map(member => `${columnOf(member)} AS ${member}`).join(', ')
const INSERT = `INSERT INTO runs (${MEMBERS.map(columnOf).join(', ')})
  VALUES (${MEMBERS.map(member => `:${member}`).join(', ')})`

type Row = Omit<RunSummary, 'at' | 'byChecks' | 'costEstimated'> &
  Readonly<Record<'at' | 'byChecks' | 'costEstimated', number>>
type Texts = Record<'request' | 'reply' | 'broken' | 'events', string> & { readonly log: string | null }

/** Every run that the platform accepted. */
export function runLog(database: DatabaseSync, redact: Redact) {
  let { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM runs').get() as { last: number }

  /** The number of a run that is starting. */
  function nextNumber(): number {
    last += 1
    return last
  }

  /** The request as an object; a body that is not one is under `body`. */
  function readable(request: string): Record<string, unknown> {
    const text = redact.text(request)
    const value = jsonIn(text)
    return isObject(value) ? value : { body: text }
  }

  return {
    nextNumber,

    /** @returns the run's number */
    add(run: FinishedRun): number {
      const { agentId, status, httpStatus, agentStatus = null, wallMs, broken } = run
      const request = readable(run.request)
      const reply = redact.text(run.reply)
      const { metrics, output, error } = objectIn(reply)
      const shown = textOf(output) || textOf(error)
      const input = textOf(request.input)
      const taskId = textOf(request.task_id).slice(0, PREVIEW_LENGTH)
      const searched = [taskId, ...[input, shown].map(text => text.slice(0, SEARCHED_LENGTH))].join('\n')
      const texts = [broken.map(redact.text), request, redact.json(run.events ?? [])]
      return transaction(database, () => {
        const id = run.id ?? nextNumber()
        database.prepare(INSERT).run({
          ...{ id, agentId, taskId, at: run.at.getTime(), status, httpStatus, agentStatus, wallMs },
          durationSec: numberOf(metrics, 'duration_sec', Number.isFinite),
          inputTokens: numberOf(metrics, 'input_tokens', Number.isSafeInteger),
          outputTokens: numberOf(metrics, 'output_tokens', Number.isSafeInteger),
          steps: numberOf(metrics, 'steps', Number.isSafeInteger),
          ...costIn(run.events),
          ...{ input: preview(input), output: preview(shown) },
          ...{ violations: broken.length, byChecks: Number(run.byChecks ?? false) },
        })
        database
          .prepare(
            'INSERT INTO run_texts (run_id, reply, searched, broken, request, events) VALUES (?, ?, ?, ?, ?, ?)',
          )
          .run(id, reply, searched.toLowerCase(), ...texts.map(text => JSON.stringify(text)))
        return id
      })
    },

    /** Replaces a run's events, and its cost, by those that the agent told itself. */
    addEvents(id: number, events: readonly RecordedEvent[]): void {
      const { costUsd, costEstimated } = costIn(events)
      transaction(database, () => {
        database
          .prepare('UPDATE runs SET cost_usd = ?, cost_estimated = ? WHERE id = ?')
          .run(costUsd, costEstimated, id)
        const text = JSON.stringify(redact.json(events))
        database.prepare('UPDATE run_texts SET events = ? WHERE run_id = ?').run(text, id)
      })
    },

    /** Adds the lines that the agent logged during a run. */
    addLog(id: number, lines: readonly string[]): void {
      const log = lines.map(redact.text).join('\n')
      database.prepare('UPDATE run_texts SET log = ? WHERE run_id = ?').run(log, id)
    },

    get(id: number): RunRecord | undefined {
      const query = `SELECT ${SUMMARY}, request, reply, broken, events, log FROM runs JOIN run_texts ON run_id = id`
      const found = database.prepare(`${query} WHERE id = ?`).get(id) as (Row & Texts) | undefined
      if (found === undefined) return undefined
      const { reply, log, ...row } = found
      const [request, broken, events] = [row.request, row.broken, row.events].map(text => JSON.parse(text))
      return { ...toSummary(row), request, reply, broken, events, log }
    },

    /** The newest first. */
    page({ agent, status, byChecks, text, before, limit }: RunFilter): RunPage {
      const conditions: string[] = []
      const values: SQLInputValue[] = []
      const where = (condition: string, ...value: SQLInputValue[]) => {
        conditions.push(condition)
        values.push(...value)
      }
      if (agent !== undefined) where('agent_id = ?', agent)
      if (status !== undefined) where('status = ?', status)
      if (byChecks !== undefined) where('by_checks = ?', Number(byChecks))
      if (before !== undefined) where('id < ?', before)
      if (text) where('id IN (SELECT run_id FROM run_texts WHERE instr(searched, ?) > 0)', text.toLowerCase())
      const clause = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
      const rows = database
        .prepare(`SELECT ${SUMMARY} FROM runs ${clause} ORDER BY id DESC LIMIT ?`)
        .all(...values, limit + 1) as unknown as Row[]
      const runs = rows.slice(0, limit).map(toSummary)
      return { runs, next: rows.length > limit ? (runs.at(-1)?.id ?? null) : null }
    },
  }
}

function toSummary({ at, byChecks, costEstimated, ...row }: Row): RunSummary {
  const flags = { byChecks: byChecks === 1, costEstimated: costEstimated === 1 }
  return { ...row, at: new Date(at).toISOString(), ...flags }
}

function costIn(events: readonly RecordedEvent[] = []) {
  const { data } = events.findLast(({ type }) => type === 'run_finished') ?? {}
  return {
    costUsd: numberOf(data, 'cost_usd', Number.isFinite),
    costEstimated: Number(data?.cost_estimated === true),
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
