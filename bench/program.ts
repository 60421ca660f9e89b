import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

/** A server in a separate process. */
export class Program implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /** Starts it and waits until it prints its port, as `"port":` in a line of JSON. */
  static async start(
    file: string,
    env: Readonly<Record<string, string>> = {},
    options: readonly string[] = [],
  ): Promise<Program> {
    const child = spawn(process.execPath, [...options, file], {
      env: { NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return new Program(child, await portOf(child))
  }

  /** CPU time of all its threads so far, in milliseconds. */
  get cpuMs(): number {
    const threads = readdirSync(`/proc/${this.#child.pid}/task`)
    const nanoseconds = threads.map(thread => Number(this.#read(`task/${thread}/schedstat`).split(' ')[0]))
    return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6
  }

  /** Memory as counted by the kernel, in MB: current or peak. */
  memory(key: 'VmRSS' | 'VmHWM'): number {
    return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(this.#read('status'))?.[1]) / 1024
  }

  /** Stops it gracefully. */
  async end(): Promise<void> {
    this.#child.kill('SIGTERM')
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8')
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const { stdout } = child
  const told = Promise.withResolvers<number>()
  let output = ''
  stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (output.length < 100_000) output += chunk
    const port = /"port":(\d+)/.exec(output)
    if (port) told.resolve(Number(port[1]))
  })
  child.once('exit', code =>
    told.reject(new Error(`a server exited with ${code} before it listened: ${output}`)),
  )
  return await told.promise
}
