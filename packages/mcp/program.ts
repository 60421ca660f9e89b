import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import type { Inflow } from './inflow.ts'
import type { StdioServer } from './mcp-file.ts'
import { Excess } from './message-scan.ts'
import { Incoming } from './normalize-message.ts'

/** How long a program may take to end when its input ends, and again when it is asked to. */
const END_TIMEOUT_MS = 2_000
/** Most that waits for a program to read it when more is to be sent, in bytes. */
const MAX_UNREAD_BYTES = 10 * 2 ** 20
/** Messages read before others may have their turn. */
const MESSAGES_AT_ONCE = 50

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A program, reached through its standard input and output. It does not outlive the agent, however the agent ends. */
export class Program implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void
  /** The client takes what has these two for a program. Its standard error may hold anything, so nobody reads it. */
  readonly stderr = null
  readonly #settings: StdioServer
  readonly #inflow: Inflow
  readonly #incoming: Incoming
  #child: ChildProcess | undefined

  constructor(settings: StdioServer, inflow: Inflow) {
    this.#settings = settings
    this.#inflow = inflow
    this.#incoming = new Incoming(inflow)
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#settings
    const child = spawn(command, args, {
      // Nothing of our environment but PATH, HOME and the like.
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
      cwd,
    })
    this.#child = child
    const started = Promise.withResolvers<void>()
    child.once('spawn', () => {
      running.add(child)
      started.resolve()
    })
    child.on('error', error => {
      started.reject(error)
      this.onerror?.(error)
    })
    child.once('close', () => {
      running.delete(child)
      this.#child = undefined
      this.onclose?.()
    })
    child.stdin.on('error', error => this.onerror?.(error))
    void this.#read(child.stdout).catch(error => {
      if (error instanceof Excess) this.#inflow.end(error.message)
      this.kill()
    })
    await started.promise
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin) throw new SdkError(SdkErrorCode.NotConnected, 'not connected')
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw this.#inflow.end('it does not read')
    this.#incoming.sent(message)
    await new Promise<void>((resolve, reject) => {
      stdin.write(serializeMessage(message), error => (error ? reject(error) : resolve()))
    })
  }

  /** Ends the program, politely at first. */
  async close(): Promise<void> {
    const child = this.#child
    if (!child) return
    const closed = new Promise(resolve => child.once('close', resolve))
    const isClosedInTime = () => Promise.race([closed, sleep(END_TIMEOUT_MS, undefined, { ref: false })])
    child.stdin?.end()
    await isClosedInTime()
    if (child.exitCode === null) child.kill('SIGTERM')
    await isClosedInTime()
    this.kill()
  }

  /** Ends the program, and reads no more even if another that it started still writes. */
  kill(): void {
    this.#child?.kill('SIGKILL')
    this.#child?.stdin?.destroy()
    this.#child?.stdout?.destroy()
  }

  async #read(stdout: Readable): Promise<void> {
    const linesIn = this.#inflow.lineReader()
    for await (const piece of stdout as AsyncIterable<Buffer>) {
      for (const [index, line] of linesIn(piece).entries()) {
        if (stdout.destroyed) return
        for (const message of this.#incoming.read(line.toString())) this.onmessage?.(message)
        if (index % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) await turn()
      }
      await turn()
    }
  }
}
