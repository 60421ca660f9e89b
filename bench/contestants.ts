import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../scripts/build.ts'
import { call } from './client.ts'
import { Program } from './program.ts'
import type { Conduct, Received } from './servers/model.ts'

/** The servers compared; the first is the floor. Each is bundled; the others use their packages unchanged. */
export const CONTESTANTS = ['floor', 'hand-loop', 'prebuilt', 'prebuilt-equal', 'ours'] as const
export type Contestant = (typeof CONTESTANTS)[number]
type Role = Contestant | 'bare' | 'model'

export const TITLES: Readonly<Record<Contestant | 'bare', string>> = {
  bare: 'bare node:http',
  floor: 'node:http, loop by hand (the floor)',
  'hand-loop': 'Hono + openai SDK, loop by hand',
  prebuilt: 'Hono + LangGraph prebuilt agent, its own prompt and tool',
  'prebuilt-equal': 'the same, prompt and tools as here',
  ours: 'this service',
}

/** A value for each contestant. */
export type PerContestant<Value> = Record<Contestant, Value>

/** Runs `measure` for each contestant in turn. */
export async function forEach<Value>(
  measure: (name: Contestant) => Promise<Value> | Value,
): Promise<PerContestant<Value>> {
  const values: Partial<PerContestant<Value>> = {}
  for (const name of CONTESTANTS) values[name] = await measure(name)
  return values as PerContestant<Value>
}

/** The Node options of the image. */
function shippedOptions(): string {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8')
  const options = /^ENV .*NODE_OPTIONS=(\S+)/m.exec(dockerfile)?.[1]
  if (options === undefined) throw new Error('expected NODE_OPTIONS in the Dockerfile')
  return options
}

/** The bundles of one benchmark run, and the model that all of them use. */
export class Arena implements AsyncDisposable {
  readonly #folder: string
  readonly #model: Program

  private constructor(folder: string, model: Program) {
    this.#folder = folder
    this.#model = model
  }

  static async create(): Promise<Arena> {
    const folder = await mkdtemp(join(tmpdir(), 'bench-'))
    for (const role of [...CONTESTANTS, 'bare', 'model'] as Role[]) {
      const entry = fileURLToPath(new URL(`servers/${role}.ts`, import.meta.url))
      await bundle(entry, join(folder, role))
    }
    return new Arena(folder, await Program.start(join(folder, 'model', 'model.js')))
  }

  /** @param options Node options */
  async start(
    role: Contestant | 'bare',
    options: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Program> {
    const env: Record<string, string> = role === 'ours' ? { NODE_OPTIONS: shippedOptions() } : {}
    return await this.startFile(join(this.#folder, role, `${role}.js`), { ...env, ...more }, options)
  }

  /** Starts any server that reads the service's environment variables. */
  async startFile(
    file: string,
    env: Readonly<Record<string, string>>,
    options: readonly string[] = [],
  ): Promise<Program> {
    const model = {
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `http://127.0.0.1:${this.#model.port}/v1`,
      MODEL: 'bench',
    }
    return await Program.start(file, { ...model, MAX_CONCURRENT_RUNS: '2048', ...env }, options)
  }

  /** Starts all contestants. */
  async startAll(): Promise<PerContestant<Program> & AsyncDisposable> {
    const programs = await forEach(name => this.start(name))
    const stop = async () => {
      for (const name of CONTESTANTS) await programs[name][Symbol.asyncDispose]()
    }
    return { ...programs, [Symbol.asyncDispose]: stop }
  }

  /** Tells the model how to behave; members left out return to their defaults. */
  async conduct(wanted: Partial<Conduct>): Promise<void> {
    const usual: Conduct = { latencyMs: 0, rounds: 1, isHeld: false }
    await call(this.#model.port, 'PUT', '/conduct', { ...usual, ...wanted })
  }

  /** What the model has received so far. */
  async received(): Promise<Received> {
    return JSON.parse((await call(this.#model.port, 'GET', '/received')).text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
