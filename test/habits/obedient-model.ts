import type { ServerResponse } from 'node:http'
import { withoutNotice } from '@agent-task-service/test-support/openai-replies'
import type { ModelRequest, Reply } from '@agent-task-service/test-support/openai-server'

/** Tokens that the model reports per call, unless its input names a cost: `… costs 900`. */
export const USAGE = { read: 10, generated: 5 }

interface Said {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[]
  /** The token cap was lower than the answer. */
  readonly isCut: boolean
  readonly usage: typeof USAGE
}

/**
 * A model that obeys the user's last message: `Use <tool> with <JSON>` calls the tool and returns its result; `Keep
 * using …` calls it as long as it is offered; asked for JSON, it says that JSON; `Wait` gets no answer; anything with `hold` is echoed once released;
 * anything else is echoed at once. It speaks the protocols of OpenAI and Anthropic, five characters at a time in a
 * stream.
 */
export const obedient: Reply = (response, request) => {
  const said = reply(request)
  if (said === undefined) return
  if ('anthropic-version' in request.headers) inAnthropicsWords(response, said)
  else void inOpenAIsWords(response, said, request)
}

/** `undefined`: never answers. */
function reply({
  body: {
    messages,
    tools = [],
    tool_choice: choice,
    response_format: format,
    max_tokens: cap = USAGE.generated,
  },
}: ModelRequest): Said | undefined {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && resultsIn(content).length === 0)
  const task = textOf(messages[at]?.content)
  if (/^Wait|said: .*Wait/.test(task)) return undefined
  const results = messages
    .slice(at + 1)
    .flatMap(({ role, content }) => (role === 'tool' ? [content] : resultsIn(content)))
  const isFree = choice !== 'none' && (choice as { type?: string } | undefined)?.type !== 'none'
  const offered = isFree ? tools.map(tool => tool.function?.name ?? (tool as { name?: string }).name) : []
  const calls = [...task.matchAll(/(?:Use|Keep using) (\S+) with (\{.*?\})(?=;|$)/g)]
    .map(([, name = '', args = ''], index) => ({ id: `call_${messages.length}_${index}`, name, args }))
    .filter(({ name }) => offered.includes(name) && (results.length === 0 || task.startsWith('Keep using ')))
  const wanted = format ? / with (\{.*?\})$/.exec(task)?.[1] : undefined
  const text =
    wanted ??
    (results.length > 0
      ? results.map(result => withoutNotice(textOf(result))).join('\n')
      : `You said: ${task}`)
  const isCut = cap < USAGE.generated
  const read = Number(/ costs (\d+)/.exec(textOf(messages.at(-1)?.content))?.[1] ?? USAGE.read)
  const usage = { read, generated: Math.min(cap, USAGE.generated) }
  if (calls.length > 0) return { text: '', calls, isCut: false, usage }
  return { text: isCut ? text.slice(0, 4 * cap) : text, calls, isCut, usage }
}

function textOf(content: unknown): string {
  return Array.isArray(content) ? content.map(part => part?.text ?? '').join('') : String(content ?? '')
}

/** Anthropic puts tool results into a user message. */
function resultsIn(content: unknown): unknown[] {
  const parts = Array.isArray(content) ? content : []
  return parts.filter(({ type }) => type === 'tool_result').map(part => part.content)
}

const pieces = (text: string) => text.match(/.{1,5}/gs) ?? []

/** Releases the calls that `hold`. */
export const hold = Promise.withResolvers<void>()

async function inOpenAIsWords(
  response: ServerResponse,
  said: Said,
  { body: { model, stream } }: ModelRequest,
): Promise<void> {
  const { text, calls, isCut, usage } = said
  const finish_reason = isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
  const tool_calls = calls.map(({ id, name, args }, index) => {
    return { index, id, type: 'function', function: { name, arguments: args } }
  })
  const told = {
    prompt_tokens: usage.read,
    completion_tokens: usage.generated,
    total_tokens: usage.read + usage.generated,
  }
  const envelope = { id: `chatcmpl-${crypto.randomUUID()}`, created: 1, model }
  const last = { role: 'assistant', ...(calls.length > 0 && { tool_calls }) }
  if (!stream) {
    const choices = [{ index: 0, message: { ...last, content: text }, finish_reason }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...envelope, object: 'chat.completion', choices, usage: told }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (chunk: object) =>
    response.write(`data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', ...chunk })}\n\n`)
  for (const [index, content] of pieces(text).entries()) {
    if (index > 0 && text.includes('hold')) await hold.promise
    send({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
  }
  send({ choices: [{ index: 0, delta: last, finish_reason }] })
  send({ choices: [], usage: told })
  response.end('data: [DONE]\n\n')
}

function inAnthropicsWords(response: ServerResponse, { text, calls, isCut, usage }: Said): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  const stop_reason = isCut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn'
  const started = { type: 'message', role: 'assistant', content: [], model: 'claude', stop_reason: null }
  const read = { input_tokens: usage.read, output_tokens: 1 }
  send('message_start', { message: { id: `msg_${crypto.randomUUID()}`, ...started, usage: read } })
  const blocks = [
    ...(text === ''
      ? []
      : [
          {
            block: { type: 'text', text: '' },
            deltas: pieces(text).map(piece => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...calls.map(({ id, name, args }) => {
      return {
        block: { type: 'tool_use', id, name, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: args }],
      }
    }),
  ]
  for (const [index, { block, deltas }] of blocks.entries()) {
    send('content_block_start', { index, content_block: block })
    for (const delta of deltas) send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
  }
  send('message_delta', { delta: { stop_reason }, usage: { output_tokens: usage.generated } })
  send('message_stop', {})
  response.end()
}
