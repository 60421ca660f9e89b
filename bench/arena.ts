import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../scripts/build.ts'
import { call } from './client.ts'
import { Program } from './program.ts'
import type { Conduct, Received } from './servers/model.ts'

/** A server to measure: one of `servers/`, with its environment. */
export interface Contestant {
  readonly server: string
  readonly env?: Readonly<Record<string, string>>
}

/** The Node options of the image. */
function shippedOptions(): string {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8')
  const options = /^ENV .*NODE_OPTIONS=(\S+)/m.exec(dockerfile)?.[1]
  if (options === undefined) throw new Error('expected NODE_OPTIONS in the Dockerfile')
  return options
}

/** Bundled contestants, by name, and the model that all of them use. */
export class Arena<Name extends string> implements AsyncDisposable {
  readonly names: readonly Name[]
  readonly #contestants: Readonly<Record<Name, Contestant>>
  readonly #folder: string
  readonly #model: Program

  private constructor(contestants: Readonly<Record<Name, Contestant>>, folder: string, model: Program) {
    this.names = Object.keys(contestants) as Name[]
    this.#contestants = contestants
    this.#folder = folder
    this.#model = model
  }

  /** @param contestantsFor gets the URL of the model's server, which accepts telemetry too */
  static async create<Name extends string>(
    contestantsFor: (url: string) => Readonly<Record<Name, Contestant>>,
  ): Promise<Arena<Name>> {
    const folder = await mkdtemp(join(tmpdir(), 'bench-'))
    await bundleServer('model', folder)
    const model = await Program.start(join(folder, 'model', 'model.js'))
    const contestants = contestantsFor(`http://127.0.0.1:${model.port}`)
    const servers = Object.values<Contestant>(contestants).map(({ server }) => server)
    for (const server of new Set(servers)) await bundleServer(server, folder)
    return new Arena(contestants, folder, model)
  }

  /** @param options Node options */
  async start(name: Name, options: readonly string[] = []): Promise<Program> {
    const { server, env } = this.#contestants[name]
    const shared = {
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `http://127.0.0.1:${this.#model.port}/v1`,
      MODEL: 'bench',
      MAX_CONCURRENT_RUNS: '2048',
      ...(server === 'ours' && { NODE_OPTIONS: shippedOptions() }),
    }
    return await Program.start(join(this.#folder, server, `${server}.js`), { ...shared, ...env }, options)
  }

  async startAll(): Promise<Record<Name, Program> & AsyncDisposable> {
    const programs = await this.inTurn(name => this.start(name))
    const stop = async () => void (await this.inTurn(name => programs[name][Symbol.asyncDispose]()))
    return { ...programs, [Symbol.asyncDispose]: stop }
  }

  /** Runs `measure` for each contestant in turn. */
  async inTurn<Value>(measure: (name: Name) => Promise<Value>): Promise<Record<Name, Value>> {
    const values: Partial<Record<Name, Value>> = {}
    for (const name of this.names) values[name] = await measure(name)
    return values as Record<Name, Value>
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

async function bundleServer(server: string, folder: string): Promise<void> {
  await bundle(fileURLToPath(new URL(`servers/${server}.ts`, import.meta.url)), join(folder, server))
}
