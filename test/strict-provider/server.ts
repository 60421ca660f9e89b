import type { ServerResponse } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { openAIError } from '../providers/hosted.ts'
import type { Asked, AskedCall, Refusal } from '../providers/provider.ts'
import { chatOf, responsesRules } from '../providers/responses.ts'
import { Random } from '../simulation/random.ts'
import { startBackend } from '../support/backend.ts'
import { type Scene, USUAL } from './draw.ts'
import type { Manner, Rule } from './provider.ts'
import { type Packet, streamed, whole } from './reply.ts'
import { answerTo, type Call, digits, resultOf } from './task.ts'
import { templateOf } from './templates.ts'
import { exactly } from './text.ts'
import { type Turn, type Usage, type Written, write } from './turn.ts'

const HEARTBEAT_MS = 200
/** Most characters of the replies that a problem shows. */
const SHOWN = 20_000

/** One provider while it serves runs. */
export class Stage {
  readonly scene: Scene
  readonly url: string
  /** What a run's model replies, one after the other. */
  readonly replies: readonly Turn[]
  /** Of the current run. */
  refusals: { readonly rule: Rule; readonly message: string }[] = []
  usages: Usage[] = []
  problems: string[] = []
  /** All that was sent, as it was. */
  sent = ''
  #position = 0
  #hasStumbled = false
  readonly #random: Random
  /** What came beside a call, by its id. */
  readonly #words = new Map<string, Readonly<Record<string, unknown>>>()

  constructor(scene: Scene) {
    this.scene = scene
    this.url = `${origin}/${stages.push(this) - 1}`
    this.#random = new Random(scene.salt)
    const { task, madeUpName } = scene
    const invented = madeUpName ? [[{ name: madeUpName, args: {} }]] : []
    const turns = [...invented, ...task.rounds, []]
    this.replies = turns.map((calls, at) => ({ number: at + 1, text: '', calls }))
  }

  /** Before each run. */
  begin(): void {
    this.refusals = []
    this.usages = []
    this.#position = 0
    this.#hasStumbled = false
    this.#words.clear()
  }

  /** Whether the run had all its replies. */
  get hasEnded(): boolean {
    return this.#position === this.replies.length
  }

  async serve(path: string, asked: Asked, response: ServerResponse): Promise<void> {
    const { kind, foreignIds } = this.scene
    const isFirst = path.startsWith('/first')
    const isResponses = path.endsWith('/responses')
    if (isResponses !== (kind.api === 'responses' && !isFirst))
      return this.#refuse(response, { status: 404, body: { error: { message: 'Not Found' } } })
    if (isFirst && this.#position > 0)
      return this.#refuse(response, openAIError('key revoked', { status: 401, code: 'invalid_api_key' }))
    const chat = isResponses ? chatOf(asked) : asked
    const refusal = isFirst ? undefined : this.#objectionTo(asked, chat)
    if (refusal) return this.#refuse(response, refusal)
    this.#readHistory(chat)
    await this.#answer(chat, isFirst ? FIRST : this.scene.manner, response, isFirst ? foreignIds : undefined)
  }

  #objectionTo(asked: Asked, chat: Asked): Refusal | undefined {
    const { kind, rules } = this.scene
    const wordsOf = (id: string) => this.#words.get(id)
    for (const rule of rules) {
      const objection = rule.objectionTo(chat, wordsOf)
      if (!objection) continue
      this.refusals.push({ rule, message: objection.message })
      return kind.refuse(objection)
    }
    if (kind.api !== 'responses' || kind.model !== 'gpt-5.6') return undefined
    const refusal = responsesRules.map(rule => rule(asked)).find(Boolean)
    if (refusal) this.problems.push(`/responses refused ${JSON.stringify(refusal.body)}`)
    return refusal
  }

  /** Whether the conversation holds what the run did so far: each call as it was made, each with its result. */
  #readHistory({ messages }: Asked): void {
    const expected = this.replies.slice(0, this.#position).flatMap(({ calls }) => calls)
    const made = messages.flatMap(({ tool_calls: calls = [] }) => calls)
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
    if (made.length !== expected.length || results.length !== expected.length)
      this.#note(`${made.length} calls and ${results.length} results in place of ${expected.length}`)
    else this.#compare(expected, made, results)
  }

  #compare(expected: readonly Call[], made: readonly AskedCall[], results: readonly string[]): void {
    for (const [at, call] of expected.entries()) {
      if (call.name === this.scene.madeUpName) continue
      const { name, arguments: args } = made[at]!.function
      if (digits({ name, args: unquoted(exactly(args)) }) !== digits(call))
        this.#note(`the history has ${name}(${args}) in place of ${digits(call)}`)
      const result = resultOf(call).toWellFormed()
      if (result !== '' && results[at] !== result)
        this.#note(
          `the history has the result ${JSON.stringify(results[at])} in place of ${JSON.stringify(result)}`,
        )
    }
  }

  #note(problem: string): void {
    this.problems.push(`request ${this.usages.length + this.refusals.length + 1}: ${problem}`)
  }

  async #answer(chat: Asked, manner: Manner, response: ServerResponse, foreign?: Scene['foreignIds']) {
    const turn = this.#nextTurn(chat, manner)
    const written = write(turn, manner, this.#random, foreign)
    if (!foreign) for (const { id } of written.calls) if (id !== undefined) this.#words.set(id, written.words)
    this.usages.push(written.usage)
    await this.#send(written, manner, chat, response)
  }

  #nextTurn({ tools = [], tool_choice: choice, messages }: Asked, manner: Manner): Turn {
    const { task, stumble } = this.scene
    const at = this.#position
    const turn = this.replies[at]
    if (!turn) return { number: at + 1, text: 'There was nothing left to say.', calls: [] }
    const offered = choice === 'none' ? [] : tools.map(({ function: { name } }) => name)
    const lacks = turn.calls.find(({ name }) => name !== this.scene.madeUpName && !offered.includes(name))
    // A model calls what it is offered; the run goes on from here once it is.
    if (lacks || (turn.calls.length > 0 && offered.length === 0))
      return { number: at + 1, text: `I have no tool ${lacks?.name}.`, calls: [] }
    if (stumble?.at === at && !this.#hasStumbled) {
      this.#hasStumbled = true
      return stumbling(stumble.kind, turn, manner)
    }
    this.#position += 1
    if (turn.calls.length > 0) return turn
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
    const called = this.replies.flatMap(({ calls }) => calls)
    const quoted = results.filter((_, at) => {
      const call = called[at]
      return call && call.name !== this.scene.madeUpName && resultOf(call) !== ''
    })
    return { ...turn, text: answerTo(task, quoted) }
  }

  async #send(written: Written, manner: Manner, chat: Asked, response: ServerResponse): Promise<void> {
    const { openAt, kind, rules } = this.scene
    const isResponses = kind.api === 'responses' && manner !== FIRST
    if (manner.way === 'whole' || !chat.stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(this.#show(whole(written, manner, isResponses)))
    }
    const options = chat.stream_options as { include_usage?: boolean } | undefined
    // Who refuses to be asked tells it unasked.
    const isAsked = options?.include_usage === true || rules.some(({ name }) => name === 'no stream_options')
    const isOpen = manner.end === 'open' && this.#position - 1 === openAt
    const packets = streamed(written, manner, this.#random, { isResponses, isAsked, isOpen })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    await this.#sendPackets(packets, response)
    if (!isOpen) return void response.end()
    const beat = setInterval(() => response.write(': keep-alive\n\n'), HEARTBEAT_MS)
    response.on('close', () => clearInterval(beat))
  }

  async #sendPackets(packets: readonly Packet[], response: ServerResponse): Promise<void> {
    this.#show(Buffer.concat(packets.map(({ bytes }) => bytes)).toString())
    for (const { bytes, pauseMs = 0 } of packets) {
      response.write(bytes)
      await (pauseMs > 0 ? setTimeout(pauseMs) : setImmediate())
    }
  }

  #refuse(response: ServerResponse, { status, body }: Refusal): void {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(this.#show(JSON.stringify(body)))
  }

  #show(text: string): string {
    this.sent = `${this.sent}${text}\n---\n`.slice(-SHOWN)
    return text
  }
}

/** The model that another continues for. */
const FIRST: Manner = { ...USUAL, reasoning: 'reasoning', usage: 'with_finish' }

function stumbling(kind: string, turn: Turn, manner: Manner): Turn {
  const { number, calls } = turn
  if (kind === 'promises_calls') return { number, text: 'Let me see.', calls: [], promises: true }
  if (kind === 'broken_call') {
    const [call = { name: 'join_words', args: { words: ['a'] } }] = calls as readonly Call[]
    const text = templateOf(manner.template).write([call])
    return {
      number,
      text: '',
      calls: [],
      verbatim: text.slice(0, text.indexOf(call.name) + call.name.length + 2),
    }
  }
  return { number, text: kind === 'invisible' ? '\u200b\u2060\ufeff' : '', calls: [] }
}

/** Arguments without the quotes around lists and objects, which go back as they came, or mended. */
function unquoted(args: unknown): unknown {
  const members = Object.entries(args ?? {}).map(([key, value]) => [
    key,
    typeof value === 'string' && /^[[{]/.test(value) ? exactly(value) : value,
  ])
  return Object.fromEntries(members)
}

const stages: Stage[] = []
const { url: origin } = await startBackend((response, { path, body }) => {
  const [, number = '', rest = ''] = /^\/(\d+)(.*)$/.exec(path) ?? []
  const stage = stages[Number(number)]!
  stage.serve(rest, JSON.parse(body.toString()), response).catch(error => {
    stage.problems.push(`the double failed: ${error.stack}`)
    response.destroy()
  })
})
