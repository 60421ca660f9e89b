import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

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
    const port = await portOf(child)
    // What it prints from here on is not read, but must not fill the pipe.
    child.stdout.resume()
    return new Program(child, port)
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

async function portOf({ stdout }: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: stdout! })) {
    const port = /"port":(\d+)/.exec(line)?.[1]
    if (port !== undefined) return Number(port)
  }
  throw new Error('a server exited before it listened')
}
