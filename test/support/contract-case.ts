/** One row of the contract tables in `test/data/contract`: a request, and the whole of its reply. */
export interface ContractCase {
  readonly name: string
  readonly env?: Record<string, string>
  /** Absent: POST. */
  readonly method?: string
  /** Absent: `/run`. */
  readonly path?: string
  /** Instead of `content-type: application/json` alone. */
  readonly headers?: Record<string, string>
  /** Sent as it is; an object: as JSON. */
  readonly body?: string | Uint8Array<ArrayBuffer> | object
  readonly reply: {
    readonly status: number
    /** Headers that must have this value; `null`: must not be there. */
    readonly headers?: Record<string, string | null>
    /** The exact body, `duration_sec` apart; `null`: none. */
    readonly body: Record<string, unknown> | null
  }
  /** What reaches the model, for a request that is let through; else it must not be asked. */
  readonly seen?: Seen
}

export interface Seen {
  readonly input: string
  readonly systemPrompt?: string
  readonly tools?: readonly string[]
  readonly maxTokens?: number
}

/** What the model of the table says, and what it reports as usage. */
export const ANSWER = { text: 'the answer', usage: { input: 3, output: 2 } }

type Request = Pick<ContractCase, 'env' | 'method' | 'path' | 'headers' | 'body'>

/** A request that becomes a run, with the id that the reply echoes. */
export function accepted(name: string, taskId: string, request: Request, seen: Partial<Seen> = {}) {
  const metrics = { input_tokens: 3, output_tokens: 2, steps: 1 }
  const body = { task_id: taskId, status: 'success', output: ANSWER.text, metrics }
  return { name, ...request, reply: { status: 200, body }, seen: { input: 'hello', ...seen } }
}

/** A JSON object that is no run request: 200 in the error shape. */
export function invalid(name: string, taskId: string, body: string | object, ...fields: string[]) {
  const error = `invalid request: ${fields.join('; ')}`
  return { name, body, reply: { status: 200, body: runError(error, taskId) } }
}

/** A request to `/run` that an infrastructure answer meets. */
export function refused(
  name: string,
  request: Request,
  status: number,
  error: string,
  headers?: Record<string, string | null>,
) {
  return { name, ...request, reply: { status, body: runError(error), ...(headers && { headers }) } }
}

export function runError(error: string, taskId = '') {
  return { task_id: taskId, status: 'error', output: '', metrics: {}, error }
}
