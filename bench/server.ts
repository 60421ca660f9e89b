import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ANSWER, inputFor, SHORT, stepsOf } from './work.ts'

/** Each task comes on a new connection: a server that was busy for long closes idle ones before it reads from them. */
const HEADERS = { 'content-type': 'application/json', connection: 'close' }

/** A server to measure, in a process of its own. */
export class Server implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
  }

  /** Starts it and waits until it prints its port, as `"port":` in a line of JSON. `node`: the Node that runs it. */
  static async start(
    file: string,
    env: Readonly<Record<string, string>>,
    node = process.execPath,
  ): Promise<Server> {
    const child = spawn(node, [file], {
      env: { NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /"port":(\d+)/.exec(line)?.[1]
      if (port === undefined) continue
      // What it prints from here on is not read, but must not fill the pipe.
      child.stdout.resume()
      return new Server(child, Number(port))
    }
    throw new Error(`expected ${file} to print its port; it ended`)
  }

  /**
   * Runs one task.
   *
   * @param accept the content type of the reply; the events of a run come as a stream
   * @returns milliseconds from request to reply
   * @throws if it did not answer in the steps that the work takes
   */
  async run(work = SHORT, accept = 'application/json'): Promise<number> {
    const body = JSON.stringify({ task_id: randomUUID(), input: inputFor(work) })
    const startedAt = performance.now()
    const request = { method: 'POST', headers: { ...HEADERS, accept }, body }
    const reply = await (await fetch(`${this.url}/run`, request)).text()
    const ms = performance.now() - startedAt
    if (!reply.includes(ANSWER) || !reply.includes(`"steps":${stepsOf(work)}`))
      throw new Error(`expected ${ANSWER} in ${stepsOf(work)} steps, got ${reply.slice(-2_000)}`)
    return ms
  }

  /** CPU time of all its threads so far, in milliseconds. */
  get cpuMs(): number {
    const threads = readdirSync(`/proc/${this.#child.pid}/task`)
    const nanoseconds = threads.map(thread => Number(this.#read(`task/${thread}/schedstat`).split(' ')[0]))
    return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6
  }

  /** Memory as the kernel counts it, in MB: current or peak. */
  memory(key: 'VmRSS' | 'VmHWM'): number {
    return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(this.#read('status'))?.[1]) / 1024
  }

  /** Lets it end by itself. */
  async end(): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }

  /** From now on, `VmHWM` is the peak since now. */
  resetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8')
  }
}
