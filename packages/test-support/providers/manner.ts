import type { Asked, Manner, Turn } from './provider.ts'

export const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

export const thoughtsOf = (turn: number) => `Thought ${turn}: what is known, and what is not?`

/** The model's part in a run of two rounds of tools: two parallel calls, one more, the answer. */
export function turnFor({ messages, tools = [], tool_choice: choice }: Asked): Turn {
  const number = messages.filter(({ role }) => role === 'assistant').length + 1
  const add = (a: number, b: number) => ({ name: 'add', args: { a, b } })
  const rounds = [[add(1, 2), add(3, 4)], [add(3, 7)]]
  const calls = tools.length === 0 || choice === 'none' ? [] : (rounds[number - 1] ?? [])
  return { number, thoughts: thoughtsOf(number), text: calls.length > 0 ? '' : 'The sum is 10.', calls }
}

/** A turn as an unstreamed reply. */
export function whole(turn: Turn, { model }: Asked, manner: Manner): string {
  const { content, calls } = parts(turn, manner)
  const { reasoning } = manner
  const own = reasoning === 'reasoning_content' || reasoning === 'reasoning'
  const message = {
    role: 'assistant',
    content: manner.reasoning === 'parts' ? partsOf(turn) : content.join('') || null,
    ...(own && { [reasoning]: turn.thoughts }),
    ...manner.kept?.(turn.number),
    ...(calls.length > 0 && { tool_calls: calls.map(({ index: _, ...call }) => call) }),
  }
  const finish = finishOf(turn, manner)
  return JSON.stringify({
    id: `chatcmpl-${turn.number}`,
    object: 'chat.completion',
    created: 1_770_000_000,
    model,
    choices: [{ index: 0, message, ...(finish && { finish_reason: finish }) }],
    ...(manner.usage !== 'never' && { usage: USAGE }),
  })
}

/** A turn as the text of a stream. */
export function streamed(turn: Turn, asked: Asked, manner: Manner): string {
  const { content, calls, words } = parts(turn, manner)
  const finish = finishOf(turn, manner)
  const isWithCall = manner.finish === 'with_last_call' && calls.length > 0
  const deltas: object[] = [
    { role: 'assistant', content: '' },
    ...words.map(word => ({ content: null, ...word })),
    ...(manner.reasoning === 'parts' ? [{ content: partsOf(turn).slice(0, 1) }] : []),
    ...content.map(content => ({ content })),
    ...calls.flatMap(call => callPieces(call, manner)).map(call => ({ tool_calls: [call] })),
  ]
  const choices = deltas.map((delta, at) => ({
    index: 0,
    delta,
    finish_reason: isWithCall && at === deltas.length - 1 ? finish : null,
  }))
  const last = { choices: finish && !isWithCall ? [{ index: 0, delta: {}, finish_reason: finish }] : [] }
  const isAsked = (asked.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true
  const envelope = {
    id: `chatcmpl-${turn.number}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: asked.model,
  }
  const chunks: object[] = [
    ...choices.map(choice => ({ choices: [choice] })),
    ...(manner.usage === 'x_groq' ? [{ ...last, x_groq: { id: 'req_1', usage: USAGE } }] : []),
    ...(manner.usage === 'with_finish' ? [{ ...last, usage: USAGE }] : []),
    ...(manner.usage === undefined || manner.usage === 'never' ? [last] : []),
    ...(manner.usage === undefined && isAsked ? [{ choices: [], usage: USAGE }] : []),
  ]
  const events = chunks.map(chunk => `data: ${JSON.stringify({ ...envelope, ...chunk })}\n\n`)
  const comment = manner.comment ? `: ${manner.comment}\n\n` : ''
  return `${comment + events.join(comment)}data: [DONE]\n\n`
}

/** What precedes a stream's failure or silence. */
export function beginning(asked: Asked, manner: Manner): string {
  const turn: Turn = { number: 1, thoughts: '', text: 'Half an ans', calls: [] }
  const text = streamed(turn, asked, { ...manner, finish: 'none', usage: 'never' })
  // The last chunk and [DONE] end it.
  return text.split('data: ').slice(0, -2).join('data: ')
}

function parts(turn: Turn, manner: Manner) {
  const { thoughts, text, number } = turn
  const { reasoning, words = () => [], callWords = () => ({}) } = manner
  const id = manner.callId ?? ((turn, call) => `call_${turn}_${call}`)
  const calls = turn.calls.map(({ name, args }, at) => ({
    ...(manner.callIndex !== 'none' && { index: manner.callIndex === 'zero' ? 0 : at }),
    id: id(number, at),
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
    ...callWords(at),
  }))
  const written = turn.calls.map(
    ({ name, args }) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>\n`,
  )
  const content = [
    ...(reasoning === 'think_tags' ? ['<think>', `\n${thoughts}\n`, '</think>\n\n'] : []),
    ...(manner.callsAs === 'text' ? written : []),
    ...(text === '' ? [] : [text.slice(0, 8), text.slice(8)]),
  ]
  const own = reasoning === 'reasoning_content' || reasoning === 'reasoning'
  return {
    content,
    calls: manner.callsAs === 'text' ? [] : calls,
    words: [
      ...(own && thoughts !== ''
        ? [thoughts.slice(0, 9), thoughts.slice(9)].map(part => ({ [reasoning]: part }))
        : []),
      ...(thoughts === '' ? [] : words(turn)),
    ],
  }
}

function partsOf({ thoughts, text }: Turn): object[] {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: thoughts }], closed: true }
  return [thinking, ...(text === '' ? [] : [{ type: 'text', text }])]
}

function callPieces(call: { function: { name: string; arguments: string } }, { args }: Manner): object[] {
  if (args !== 'pieces') return [call]
  const { function: asked, ...rest } = call
  const { index } = rest as { index?: number }
  const text = asked.arguments
  return [
    { ...rest, function: { ...asked, arguments: '' } },
    ...[text.slice(0, 3), text.slice(3)].map(piece => ({ index, function: { arguments: piece } })),
  ]
}

function finishOf({ calls }: Turn, { finish }: Manner): string | undefined {
  if (finish === 'none') return undefined
  return calls.length > 0 && finish !== 'stop' ? 'tool_calls' : 'stop'
}
