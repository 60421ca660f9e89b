import type { ServerResponse } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { type Asked, chatOf } from '@agent-task-service/test-support/asked'
import { startBackend } from '@agent-task-service/test-support/backend'
import { Random } from '@agent-task-service/test-support/random'
import { openAIError } from '../providers/hosted.ts'
import type { Refusal } from '../providers/provider.ts'
import { type Scene, USUAL } from './draw.ts'
import { readHistory } from './history.ts'
import { scriptOf, turnFor } from './model.ts'
import type { Manner, Rule } from './provider.ts'
import { type Packet, streamed, whole } from './reply.ts'
import { responsesRules } from './responses-rules.ts'
import { noStreamOptions } from './rules.ts'
import { type Turn, type Usage, type Written, write } from './turn.ts'

const HEARTBEAT_MS = 200
/** Most characters of what was sent that a problem shows. */
const SHOWN = 20_000
/** How the model writes for which another one continues. */
const FIRST: Manner = { ...USUAL, reasoning: 'reasoning', usage: 'with_finish' }

/** One provider while it serves runs. */
export class Stage {
  readonly url: string
  readonly script: readonly Turn[]
  /** Of the current run. */
  refusals: { readonly rule: Rule; readonly message: string }[] = []
  usages: Usage[] = []
  problems: string[] = []
  /** Whether the model has given its answer. */
  hasAnswered = false
  /** All that was sent, as it was. */
  sent = ''
  readonly #number: number
  readonly #scene: Scene
  readonly #random: Random
  /** What came beside a call, by its id. */
  readonly #words = new Map<string, Readonly<Record<string, unknown>>>()
  #mayStumble = true

  constructor(scene: Scene) {
    this.#scene = scene
    opened += 1
    this.#number = opened
    this.url = `${origin}/${opened}`
    stages.set(opened, this)
    this.script = scriptOf(scene)
    this.#random = new Random(scene.salt)
  }

  /** Before each run. */
  begin(): void {
    this.refusals = []
    this.usages = []
    this.problems = []
    this.hasAnswered = false
    this.#mayStumble = true
    this.#words.clear()
  }

  /** After all runs. */
  close(): void {
    stages.delete(this.#number)
  }

  async serve(path: string, asked: Asked, response: ServerResponse): Promise<void> {
    const { kind } = this.#scene
    const isFirst = path.startsWith('/first')
    const isResponses = path.endsWith('/responses')
    if (isResponses !== (kind.api === 'responses' && !isFirst))
      return this.#refuse(response, { status: 404, body: { error: { message: 'Not Found' } } })
    const chat = isResponses ? chatOf(asked) : asked
    const refusal = isFirst ? keyRevoked(chat) : this.#objectionTo(asked, chat)
    if (refusal) return this.#refuse(response, refusal)
    await this.#answer(chat, isFirst, response)
  }

  #objectionTo(asked: Asked, chat: Asked): Refusal | undefined {
    const { kind, rules } = this.#scene
    for (const rule of rules) {
      const objection = rule.objectionTo(chat, id => this.#words.get(id))
      if (!objection) continue
      this.refusals.push({ rule, message: objection.message })
      return kind.refuse(objection)
    }
    if (!kind.isOpenAIResponses) return undefined
    const refusal = responsesRules.map(rule => rule(asked)).find(Boolean)
    if (refusal) this.problems.push(`/responses refused ${JSON.stringify(refusal.body)}`)
    return refusal
  }

  async #answer(chat: Asked, isFirst: boolean, response: ServerResponse): Promise<void> {
    const scene = this.#scene
    const history = readHistory(chat, this.script, scene.madeUpName)
    this.problems.push(...history.problems)
    const turn = turnFor(chat, this.script, history, scene, this.#mayStumble)
    this.#mayStumble &&= !turn.isStumble
    this.hasAnswered ||= history.turns === this.script.length - 1 && !turn.isStumble
    const manner = isFirst ? FIRST : scene.manner
    const written = write(turn, manner, this.#random, isFirst ? scene.foreignIds : undefined)
    if (!isFirst) for (const { id } of written.calls) if (id !== undefined) this.#words.set(id, written.words)
    this.usages.push(written.usage)
    const isOpen = manner.end === 'open' && scene.openAt === history.turns
    await this.#send(
      written,
      manner,
      { chat, isOpen, isResponses: scene.kind.api === 'responses' && !isFirst },
      response,
    )
  }

  async #send(
    written: Written,
    manner: Manner,
    { chat, isOpen, isResponses }: { chat: Asked; isOpen: boolean; isResponses: boolean },
    response: ServerResponse,
  ): Promise<void> {
    if (manner.way === 'whole' || !chat.stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(this.#show(whole(written, manner, isResponses)))
      return
    }
    const options = chat.stream_options as { include_usage?: boolean } | undefined
    // Who refuses to be asked tells it unasked.
    const isAsked = options?.include_usage === true || this.#scene.rules.includes(noStreamOptions)
    const packets = streamed(written, manner, this.#random, { isResponses, isAsked, isOpen })
    this.#show(Buffer.concat(packets.map(({ bytes }) => bytes)).toString())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    await sendPackets(packets, response)
    if (isOpen) beat(response)
    else response.end()
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

/** What the first of two models says once it has made its calls. */
function keyRevoked({ messages }: Asked): Refusal | undefined {
  return messages.some(({ role }) => role === 'tool')
    ? openAIError('key revoked', { status: 401, code: 'invalid_api_key' })
    : undefined
}

async function sendPackets(packets: readonly Packet[], response: ServerResponse): Promise<void> {
  for (const { bytes, pauseMs = 0 } of packets) {
    response.write(bytes)
    await (pauseMs > 0 ? setTimeout(pauseMs) : setImmediate())
  }
}

/** Heartbeats, until the client hangs up. */
function beat(response: ServerResponse): void {
  const heart = setInterval(() => response.write(': keep-alive\n\n'), HEARTBEAT_MS)
  response.on('close', () => clearInterval(heart))
}

/** Each has an address of its own, since a client knows by its address what a provider takes. */
let opened = 0
const stages = new Map<number, Stage>()
const { url: origin } = await startBackend((response, { path, body }) => {
  const [, number = '', rest = ''] = /^\/(\d+)(.*)$/.exec(path) ?? []
  const stage = stages.get(Number(number))!
  stage.serve(rest, JSON.parse(body.toString()), response).catch(error => {
    stage.problems.push(`the double failed: ${error.stack}`)
    response.destroy()
  })
})
