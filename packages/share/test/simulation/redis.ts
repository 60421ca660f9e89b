import { EventEmitter } from 'node:events'
import type { Random } from '@agent-task-service/test-support/random'
import { LuaFactory } from 'wasmoon'
import { PREFIX, scripts } from '../../claim-scripts.ts'
import { never, sleep } from './waits.ts'

type Hash = Map<string, string>
type ScriptName = keyof typeof scripts
type Script = (keys: readonly string[], args: readonly string[]) => unknown

/** A script that has run. */
export interface Ran {
  readonly name: ScriptName
  readonly client: SimulatedClient
  /** Of the task. */
  readonly key: string
  /** Of the hash of its steps. */
  readonly stepsKey: string
  readonly given: Readonly<Record<string, string>>
  /** The id of the task's run, and its steps, before. */
  readonly run: string | undefined
  readonly steps: ReadonlyMap<string, string>
  readonly answer: readonly unknown[]
}

/** Longest way of a message, in milliseconds. */
const MAX_LATENCY_MS = 3
const RETRY_MS = 100
const PROBE = `${PREFIX}probe`

const lua = await new LuaFactory().createEngine({ enableProxy: false })
/** The one whose script runs. */
let running: SimulatedRedis | undefined
lua.global.set('call', (command: string, ...args: (string | number)[]) =>
  running!.call(command, args.map(String)),
)
await lua.doString(`
local function try(...)
  local isDone, answer = pcall(call, ...)
  return isDone and answer or { err = tostring(answer) }
end
redis = { call = call, pcall = try }
`)
const compiled = new Map<ScriptName, Script>()
for (const [name, { lua: text }] of Object.entries(scripts)) {
  await lua.doString(`function ${name}(KEYS, ARGV)\n${text}\nend`)
  compiled.set(name as ScriptName, lua.global.get(name))
}

/** Redis in memory, by the simulation's clock. It runs the scripts as they ship. */
export class SimulatedRedis {
  /** Whether it answers nobody. */
  isDown = false
  /** What it answers to every script, such as `READONLY …`; absent: it runs them. */
  refusal: string | undefined
  /** How much later than usual a message arrives, in milliseconds. */
  lateMs = 0
  /** How far its clock is ahead, in milliseconds. */
  clockMs = 0
  readonly clients = new Set<SimulatedClient>()
  /** Learns of each script that has run. */
  onRun: (ran: Ran) => void = () => {}
  readonly #random: Random
  readonly #hashes = new Map<string, { readonly fields: Hash; expiresAt: number }>()

  constructor(random: Random) {
    this.#random = random
  }

  get latencyMs(): number {
    return this.#random.delay(MAX_LATENCY_MS) + this.lateMs
  }

  run(
    name: ScriptName,
    [key = '', stepsKey = '', ...args]: readonly string[],
    client: SimulatedClient,
  ): unknown {
    if (this.refusal !== undefined) throw new Error(this.refusal)
    running = this
    const task = this.fieldsOf(key)
    const before = { run: task.get('run'), steps: new Map(this.fieldsOf(stepsKey)) }
    const answer = compiled.get(name)!([key, stepsKey], args)
    const given = Object.fromEntries(
      Array.from({ length: args.length / 2 }, (_, nth) => [args[2 * nth], args[2 * nth + 1]]),
    )
    this.onRun({ name, client, key, stepsKey, given, ...before, answer: answer as unknown[] })
    return answer
  }

  fieldsOf(key: string): ReadonlyMap<string, string> {
    return this.#live(key) ?? new Map()
  }

  /** When the key expires, in epoch milliseconds; absent: there is none. */
  expiryOf(key: string): number | undefined {
    this.#live(key)
    return this.#hashes.get(key)?.expiresAt
  }

  get keys(): string[] {
    return [...this.#hashes.keys()].filter(key => this.#live(key))
  }

  /** Changes all values under the keys that fit. */
  damage(keys: RegExp, change: (value: string) => string): void {
    for (const [key, { fields }] of this.#hashes)
      if (keys.test(key)) for (const [field, value] of fields) fields.set(field, change(value))
  }

  flush(): void {
    this.#hashes.clear()
  }

  /** @returns a function that takes back all that is written from now on, as a failover to a replica that lags may */
  save(): () => void {
    const saved = structuredClone(this.#hashes)
    return () => {
      this.#hashes.clear()
      for (const [key, hash] of saved) this.#hashes.set(key, hash)
    }
  }

  /** A command of a script, with Redis's types: what is missing is `false`. */
  call(command: string, [key = '', ...args]: readonly string[]): unknown {
    const hash = this.#live(key)
    switch (command) {
      case 'TIME':
        return [String(Math.floor(this.#now / 1000)), String((this.#now % 1000) * 1000)]
      case 'HGETALL':
        return [...(hash ?? [])].flat()
      case 'HMGET':
        return args.map(field => hash?.get(field) ?? false)
      case 'HSET':
        this.#set(key, args)
        return 0
      case 'HINCRBY': {
        const sum = Number(hash?.get(args[0]!) ?? 0) + Number(args[1])
        this.#set(key, [args[0]!, String(sum)])
        return sum
      }
      case 'HDEL':
        for (const field of args) hash?.delete(field)
        if (hash?.size === 0) this.#hashes.delete(key)
        return 0
      case 'DEL':
        return [key, ...args].filter(each => this.#hashes.delete(each)).length
      case 'PEXPIRE':
        if (hash) this.#hashes.get(key)!.expiresAt = Date.now() + Number(args[0])
        return Number(hash !== undefined)
      case 'PUBLISH':
        for (const client of this.clients) client.hear(key, args[0]!)
        return 0
      case 'PUBSUB':
        return args.flatMap(channel => [
          channel,
          [...this.clients].filter(client => client.isSubscribed(channel)).length,
        ])
      default:
        throw new Error(`expected a command that the simulated Redis knows, got ${command}`)
    }
  }

  get #now(): number {
    return Date.now() + this.clockMs
  }

  #live(key: string): Hash | undefined {
    const entry = this.#hashes.get(key)
    if (entry && entry.expiresAt <= Date.now()) this.#hashes.delete(key)
    return this.#hashes.get(key)?.fields
  }

  #set(key: string, pairs: readonly string[]): void {
    const entry = this.#hashes.get(key) ?? { fields: new Map(), expiresAt: Number.POSITIVE_INFINITY }
    this.#hashes.set(key, entry)
    for (let at = 0; at < pairs.length; at += 2) entry.fields.set(pairs[at]!, pairs[at + 1]!)
  }
}

/** Between a replica and Redis: `open`; `deaf`, where only answers are lost; or `cut`. */
export type Link = 'open' | 'deaf' | 'cut'

/** What a replica's connection uses of ioredis's client. */
export class SimulatedClient extends EventEmitter {
  link: Link = 'open'
  /** Whether its replica is dead: then the connection is closed. */
  isDead = false
  /** Whether its replica is suspended: then the connection stays. */
  isSuspended = false
  status = 'connecting'
  readonly #redis: SimulatedRedis
  #channels: readonly string[] = []

  constructor(redis: SimulatedRedis) {
    super()
    this.#redis = redis
    redis.clients.add(this)
    this.#connect()
  }

  claim = (...args: readonly (string | number)[]) => this.#run('claim', args)
  beat = (...args: readonly (string | number)[]) => this.#run('beat', args)
  finish = (...args: readonly (string | number)[]) => this.#run('finish', args)
  leave = (...args: readonly (string | number)[]) => this.#run('leave', args)
  spend = (...args: readonly (string | number)[]) => this.#run('spend', args)

  async subscribe(...channels: readonly string[]): Promise<void> {
    this.#channels = channels
  }

  /** As Redis knows it, which does not learn that a connection is closed while nothing gets through. */
  isSubscribed(channel: string): boolean {
    const isOpen = this.status === 'ready' && !this.isDead
    return this.#channels.includes(channel) && (isOpen || this.link === 'cut')
  }

  hear(channel: string, message: string): void {
    if (!this.isSubscribed(channel)) return
    setTimeout(() => {
      if (this.#isHeard) this.emit('message', channel, message)
    }, this.#redis.latencyMs)
  }

  disconnect(isReconnecting = false): void {
    this.status = 'end'
    this.emit('close')
    if (isReconnecting) setTimeout(() => this.#connect(), RETRY_MS)
    else this.#redis.clients.delete(this)
  }

  get #isHeard(): boolean {
    return this.link === 'open' && !this.isDead && !this.isSuspended && !this.#redis.isDown
  }

  #connect(): void {
    this.status = 'connecting'
    setTimeout(() => {
      if (this.isDead || this.status !== 'connecting') return
      if (this.#isHeard) {
        this.status = 'ready'
        this.#channels = []
        this.emit('ready')
      } else setTimeout(() => this.#connect(), RETRY_MS)
    }, this.#redis.latencyMs)
  }

  /** Never settles if the request or its answer is lost. */
  async #run(name: ScriptName, args: readonly (string | number)[]): Promise<unknown> {
    if (this.status !== 'ready') throw Object.assign(new Error('closed'), { code: 'ECONNRESET' })
    await sleep(this.#redis.latencyMs)
    if (this.isDead || this.isSuspended || this.link === 'cut' || this.#redis.isDown) return await never()
    // A probe writes to a key of its own, each second: only whether it is answered counts.
    const answer = args[0] === PROBE ? ['ours', 0] : this.#redis.run(name, args.map(String), this)
    await sleep(this.#redis.latencyMs)
    return this.#isHeard ? answer : await never()
  }
}
