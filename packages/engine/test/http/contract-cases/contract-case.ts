/** One row of the contract tables in `packages/engine/test/http/contract-cases`: a request and its complete reply. */
export interface ContractCase {
  readonly name: string
  readonly env?: Record<string, string>
  /** Absent: POST. */
  readonly method?: string
  /** Absent: `/run`. */
  readonly path?: string
  /** Absent: only `content-type: application/json`. */
  readonly headers?: Record<string, string>
  /** A string or bytes are sent verbatim, an object as JSON. */
  readonly body?: string | Uint8Array<ArrayBuffer> | object
  readonly reply: {
    readonly status: number
    /** Expected header values; `null`: the header must be absent. */
    readonly headers?: Record<string, string | null>
    /** The exact body except `duration_sec`; `null`: empty. */
    readonly body: Record<string, unknown> | null
  }
  /** What the model receives; absent: the model must not be asked. */
  readonly seen?: Seen
}

export interface Seen {
  readonly input: string
  readonly systemPrompt?: string
  readonly tools?: readonly string[]
  readonly maxTokens?: number
}

/** The model's answer in every row, and the usage it reports. */
export const ANSWER = { text: 'the answer', usage: { input: 3, output: 2 } }

type Request = Pick<ContractCase, 'env' | 'method' | 'path' | 'headers' | 'body'>

/** A request that starts a run; the reply echoes its id. */
export function accepted(name: string, taskId: string, request: Request, seen: Partial<Seen> = {}) {
  const metrics = { input_tokens: 3, output_tokens: 2, steps: 1 }
  const body = { task_id: taskId, status: 'success', output: ANSWER.text, metrics }
  return { name, ...request, reply: { status: 200, body }, seen: { input: 'hello', ...seen } }
}

/** A JSON object that is not a valid run request: 200 with an error body. */
export function invalid(name: string, taskId: string, body: string | object, ...fields: string[]) {
  const error = `invalid request: ${fields.join('; ')}`
  return { name, body, reply: { status: 200, body: runError(error, taskId) } }
}

/** A request to `/run` that gets an infrastructure error. */
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
