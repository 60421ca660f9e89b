import type { ModelRequest, Reply } from './openai-server.ts'

/** The parts of a completion around its message. */
interface Envelope {
  readonly id?: string
  readonly finish?: string
  readonly usage?: unknown
}

export interface WireCall {
  readonly id?: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A text answer. */
export function says(content: unknown, envelope: Envelope = {}): Reply {
  return completion({ role: 'assistant', content }, { finish: 'stop', ...envelope })
}

/** A turn with tool calls. */
export function asks(calls: readonly WireCall[], envelope: Envelope = {}): Reply {
  return completion(
    { role: 'assistant', content: null, tool_calls: calls },
    { finish: 'tool_calls', ...envelope },
  )
}

/** One tool call; string `args` are sent verbatim, others as JSON. */
export function call(
  name: string,
  args: unknown,
  id: string | undefined = `id_${crypto.randomUUID()}`,
): WireCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return { ...(id !== '' && { id }), type: 'function', function: { name, arguments: text } }
}

/** Any message as an unstreamed completion. */
export function completion(message: Record<string, unknown>, envelope: Envelope = {}): Reply {
  const { id = `chatcmpl-${crypto.randomUUID()}`, finish = 'stop', usage } = envelope
  return (response, request) => {
    const choices = [{ index: 0, message, finish_reason: finish }]
    const { model } = request.body
    json({
      id,
      object: 'chat.completion',
      created: 1,
      model,
      choices,
      ...(usage !== undefined && { usage }),
    })(response, request)
  }
}

/** An answer streamed as server-sent events; without `finish`, the stream breaks off early. */
export function streams(pieces: readonly string[], finish?: string): Reply {
  return (response, request) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const deltas = pieces.map(content => ({ delta: { role: 'assistant', content }, finish_reason: null }))
    const last = finish === undefined ? [] : [{ delta: {}, finish_reason: finish }]
    for (const choice of [...deltas, ...last]) {
      const chunk = { id: 'chunk', model: request.body.model, choices: [{ index: 0, ...choice }] }
      response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    }
    response.end(finish === undefined ? '' : 'data: [DONE]\n\n')
  }
}

/** Any body: an object as JSON, a string verbatim. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** An error in OpenAI's format. */
export function fails(status: number, code?: string, headers: Record<string, string> = {}): Reply {
  return json({ error: { message: PROVIDER_TEXT, type: 'some_error', code: code ?? null } }, status, headers)
}

/** The provider's error text, which must reach neither the caller nor the log. */
export const PROVIDER_TEXT = 'flux capacitor of org-4711 overheated'

/** Accepts the request and never answers. */
export const hangs: Reply = () => {}

/** Sends headers and the first bytes of a body, then nothing. */
export const stalls: Reply = response => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"id":"chatcmpl-1","choices":[')
}

/** Resets the connection. */
export const resets: Reply = response => {
  response.socket?.resetAndDestroy()
}

/** A notice of the agent's, at the end of a tool's result. */
const NOTICE = /\n\n\(From the agent itself[^:]*: (.*)\)$/s

/** The notice of the agent's in a request, if it has one behind a tool's result. */
export function noticeIn({ body }: ModelRequest): string | undefined {
  return NOTICE.exec(String(body.messages.at(-1)?.content))?.[1]
}

/** A tool's result as the tool gave it. */
export function withoutNotice(result: string): string {
  return result.replace(NOTICE, '')
}

/** The tool results that the model received, in order, without a notice of the agent's. */
export function toolTexts({ body }: ModelRequest): unknown[] {
  const results = body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
  return results.map(result => (typeof result === 'string' ? withoutNotice(result) : result))
}
