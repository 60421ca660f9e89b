import type { Metrics } from '../../../src/http/contract.ts'
import type { RunRecord, RunStatus } from '../../api.ts'
import type { RunReply } from './run-reply.ts'

/** A finished run as it is shown, whether it has just come back or is looked up. */
export interface Outcome {
  readonly agentId: string
  readonly taskId: string
  readonly status: RunStatus
  readonly httpStatus: number
  /** As seen from outside. */
  readonly wallMs: number
  readonly output: string
  readonly error: string | null
  readonly metrics: Partial<Metrics>
  readonly request: unknown
  readonly reply: string
  /** What of the reply breaks the contract; null while the platform's record of the run is not there yet. */
  readonly broken: readonly string[] | null
  readonly recordId: number | null
}

/** The outcome of a run that this page has made, before the platform's record of it is read. */
export function outcomeOfReply(
  run: { agentId: string; request: { task_id: string } & Record<string, unknown>; wallMs: number },
  { httpStatus, isReplaced, text }: RunReply,
): Outcome {
  const { status, ...said } = readText(text)
  const isStatus = status === 'success' || status === 'error' || status === 'timeout'
  return {
    ...said,
    agentId: run.agentId,
    taskId: run.request.task_id,
    status: httpStatus < 400 && isStatus && !isReplaced ? status : 'infrastructure',
    httpStatus,
    wallMs: run.wallMs,
    request: run.request,
    reply: text,
    broken: null,
    recordId: null,
  }
}

export function outcomeOfRecord(record: RunRecord): Outcome {
  const { output, error, metrics } = readText(record.reply)
  const { agentId, taskId, status, httpStatus, wallMs, request, reply, broken, id } = record
  return {
    ...{ agentId, taskId, status, httpStatus, wallMs, output, error, metrics, request, reply, broken },
    recordId: id,
  }
}

function readText(text: string) {
  const { status, output, error, metrics } = membersOf(text)
  return {
    status,
    output: typeof output === 'string' ? output : '',
    error: typeof error === 'string' ? error : null,
    metrics: typeof metrics === 'object' && metrics !== null ? (metrics as Partial<Metrics>) : {},
  }
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** JSON over several lines; any other text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** A command that sends the same request again. The token stays out of it. */
export function curlCommand(origin: string, agentId: string, request: unknown): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  return [
    `curl -sS ${quoted(`${origin}/staging/agents/${encodeURIComponent(agentId)}/run`)}`,
    `  -H 'Content-Type: application/json' -H "Authorization: Bearer $STAGING_TOKEN"`,
    `  -d ${quoted(JSON.stringify(request))}`,
  ].join(' \\\n')
}
