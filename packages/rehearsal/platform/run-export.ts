import { setImmediate } from 'node:timers/promises'
import Papa from 'papaparse'
import type { ExportedRun } from '../api.ts'
import { objectIn, textOf } from '../json.ts'
import type { StoredRun } from '../store/run-log.ts'

const COLUMNS = [
  ...['id', 'at', 'agentId', 'taskId', 'status', 'httpStatus', 'agentStatus', 'wallMs', 'durationSec'],
  ...['inputTokens', 'outputTokens', 'steps', 'costUsd', 'costEstimated', 'byChecks'],
  ...['input', 'output', 'error', 'broken', 'config'],
] as (keyof ExportedRun)[]

const LINE_END = '\r\n'
/** Where a spreadsheet would begin to compute, wide forms included; where `;` separates, behind each. */
const FORMULA = /(^|;)(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g

export const FORMATS = {
  csv: {
    type: 'text/csv; charset=utf-8',
    // A byte order mark: without one, Excel takes the text for another encoding.
    head: `\ufeff${COLUMNS.join(',')}${LINE_END}`,
    row: (run: ExportedRun) => Papa.unparse([COLUMNS.map(name => asText(cell(run[name])))]) + LINE_END,
    foot: '',
  },
  json: {
    type: 'application/json',
    head: '[',
    row: (run: ExportedRun, isFirst: boolean) => `${isFirst ? '' : ','}\n${JSON.stringify(run)}`,
    foot: '\n]\n',
  },
}

export type ExportFormat = keyof typeof FORMATS

function cell(value: ExportedRun[keyof ExportedRun]): unknown {
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value ?? undefined) : value
}

function asText(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(FORMULA, "$1'") : value
}

/** The file, a run at a time: it is never whole in memory, and other requests have their turn. */
export function exported(runs: Iterable<StoredRun>, format: ExportFormat): ReadableStream<Uint8Array> {
  return ReadableStream.from(piecesOf(runs, format)).pipeThrough(new TextEncoderStream())
}

async function* piecesOf(runs: Iterable<StoredRun>, format: ExportFormat): AsyncGenerator<string> {
  const { head, row, foot } = FORMATS[format]
  yield head
  let isFirst = true
  for (const run of runs) {
    yield row(exportedRun(run), isFirst)
    isFirst = false
    await setImmediate()
  }
  yield foot
}

function exportedRun(run: StoredRun): ExportedRun {
  const { output, error } = objectIn(run.reply)
  const { input, config } = run.request
  const texts = { input: textOf(input), output: textOf(output), error: textOf(error), broken: run.broken }
  // No clock tells more than a tenth of a millisecond.
  const wallMs = run.wallMs && Number(run.wallMs.toFixed(1))
  const all = { ...run, ...texts, wallMs, config: config ?? null }
  return Object.fromEntries(COLUMNS.map(name => [name, all[name]])) as unknown as ExportedRun
}
