import type { ServerResponse } from 'node:http'

type Json = Readonly<Record<string, unknown>>
interface Choice {
  readonly delta?: Message
  readonly message?: Message
  readonly finish_reason?: string | null
}
interface Message {
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly refusal?: string
  readonly tool_calls?: readonly {
    index?: number
    id?: string
    function: { name?: string; arguments?: string }
  }[]
}
interface Completion {
  readonly id?: string
  readonly model?: string
  readonly choices?: readonly Choice[]
  readonly usage?: Json
  readonly error?: unknown
}

/** The same response for a client that asked over Responses: what is written in chat completions is translated; all else passes. */
export function overResponses(response: ServerResponse): ServerResponse {
  const writer = new Translator()
  let rest = ''
  const translated = (body: unknown) => {
    if (typeof body !== 'string') return body
    if (body.startsWith('{')) return writer.whole(body)
    const events = (rest + body).split(/(?<=\n\n)/)
    rest = events.at(-1)?.endsWith('\n\n') ? '' : (events.pop() ?? '')
    return events.map(event => writer.event(event)).join('')
  }
  const write = response.write.bind(response) as (body: unknown, ...more: unknown[]) => boolean
  const end = response.end.bind(response) as (body?: unknown) => typeof response
  response.write = (body: unknown, ...more: unknown[]) => write(translated(body), ...more)
  response.end = ((body: unknown) => {
    const last = translated(body)
    return end(typeof last === 'string' ? last + rest : rest || last)
  }) as typeof response.end
  return response
}

/** The items of one reply, in the order in which they began. */
export class Translator {
  readonly #items: {
    type: string
    key: unknown
    text: string
    refusal: string
    id?: string
    name?: string
  }[] = []
  #finish: string | null | undefined
  #usage: Json | undefined
  #about: Json = {}

  /** A completion as a response; anything else as it is. */
  whole(text: string): string {
    const body = parsed(text)
    if (!body?.choices) return text
    this.#read(body)
    return JSON.stringify(this.#response())
  }

  /** One event of a stream as those that Responses would send. */
  event(text: string): string {
    const data = /^data: (.*)\n\n$/.exec(text)?.[1]
    const body = data === '[DONE]' ? {} : parsed(data ?? '')
    if (!body) return text
    if (body.error) return written({ type: 'error', error: body.error })
    const deltas = this.#read(body).map(written).join('')
    const isDone = data === '[DONE]' || (this.#finish && this.#usage)
    if (!isDone || !this.#items) return deltas
    const status = this.#response().status
    const done = this.#output().map((item, output_index) =>
      written({ type: 'response.output_item.done', output_index, item }),
    )
    return `${deltas}${done.join('')}${written({ type: `response.${status}`, response: this.#response() })}`
  }

  #read({ id, model, choices, usage }: Completion): object[] {
    this.#about = { ...this.#about, ...(id && { id }), ...(model && { model }) }
    this.#usage = usage ?? this.#usage
    const [{ delta, message, finish_reason } = {} as Choice] = choices ?? []
    this.#finish = finish_reason ?? this.#finish
    const { content, reasoning_content, refusal, tool_calls = [] } = delta ?? message ?? {}
    return [
      ...(reasoning_content
        ? this.#add('reasoning', 'response.reasoning_summary_text.delta', reasoning_content)
        : []),
      ...(content ? this.#add('message', 'response.output_text.delta', content) : []),
      ...(refusal ? this.#add('message', 'response.refusal.delta', refusal) : []),
      ...tool_calls.flatMap(({ index, id, function: { name, arguments: args = '' } }, at) =>
        this.#add('function_call', 'response.function_call_arguments.delta', args, index ?? at, { id, name }),
      ),
    ]
  }

  #add(type: string, event: string, delta: string, key: unknown = type, call: object = {}): object[] {
    const known = this.#items.find(item => item.key === key)
    const item = known ?? { type, key, text: '', refusal: '', ...call }
    if (!known) this.#items.push(item)
    const output_index = this.#items.indexOf(item)
    const added = { type: 'response.output_item.added', output_index, item: this.#output()[output_index] }
    if (event.includes('refusal')) item.refusal += delta
    else item.text += delta
    const more = { type: event, output_index, content_index: 0, summary_index: 0, delta }
    return [...(known ? [] : [added]), ...(delta === '' ? [] : [more])]
  }

  #output(): object[] {
    return this.#items.map(({ type, text, refusal, id, name }, at) => {
      if (type === 'reasoning')
        return {
          type,
          id: `rs_${at}`,
          summary: [{ type: 'summary_text', text }],
          encrypted_content: `gAAA${text}`,
        }
      if (type === 'function_call') return { type, id: `fc_${at}`, call_id: id, name, arguments: text }
      const content = refusal ? { type: 'refusal', refusal } : { type: 'output_text', text, annotations: [] }
      return { type, id: `msg_${at}`, role: 'assistant', content: [content] }
    })
  }

  #response() {
    const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, cost } = this.#usage ?? {}
    const cut = { length: 'max_output_tokens', content_filter: 'content_filter' }[this.#finish ?? '']
    return {
      ...this.#about,
      object: 'response',
      status: this.#finish === 'error' ? 'failed' : cut ? 'incomplete' : 'completed',
      incomplete_details: cut ? { reason: cut } : null,
      error: this.#finish === 'error' ? { code: 'server_error', message: 'It failed.' } : null,
      output: this.#output(),
      usage: this.#usage && {
        input_tokens: prompt_tokens,
        output_tokens: completion_tokens,
        total_tokens,
        input_tokens_details: prompt_tokens_details,
        cost,
      },
    }
  }
}

const written = (event: object) => `data: ${JSON.stringify(event)}\n\n`

function parsed(text: string): Completion | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
