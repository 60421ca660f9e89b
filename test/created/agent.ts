import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const ORIGIN = 'http://127.0.0.1:8080'

export interface Reply {
  readonly status: string
  readonly output: string
  readonly error?: string
}

/** An agent that `npm run create` has made, used as its owner would: by npm's scripts alone. */
export class CreatedAgent {
  readonly folder: string
  readonly #env: NodeJS.ProcessEnv

  /** @param env of its commands; absent: no variable of this process but those without which none runs */
  constructor(folder: string, env: NodeJS.ProcessEnv = bare()) {
    this.folder = folder
    this.#env = env
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8')
  }

  /** Runs a command to its end. @throws {Error} with all that it printed, if it fails */
  async run(command: string, ...args: readonly string[]): Promise<string> {
    const options = { cwd: this.folder, env: this.#env, maxBuffer: 2 ** 26 }
    const { stdout, stderr } = await promisify(execFile)(command, args, options).catch(error => {
      throw new Error(`${command} ${args.join(' ')}: ${error.stdout}${error.stderr}`)
    })
    return stdout + stderr
  }

  /** The task that the README sends. */
  get task(): { readonly task_id: string; readonly input: string } {
    const [, body = ''] = /curl -s localhost:8080\/run .* -d '(.*)'\n/.exec(this.read('README.md')) ?? []
    return JSON.parse(body.replaceAll("'\\''", "'"))
  }

  /** Starts `npm start` and waits until it answers; it ends with the test. @returns a function that ends it, with its exit code */
  async start(env: Readonly<Record<string, string>> = {}): Promise<() => Promise<number | null>> {
    return await this.#serve(['start'], `${ORIGIN}/health`, env)
  }

  /** Starts `npm run studio`. */
  async startStudio(port: number): Promise<() => Promise<number | null>> {
    const args = ['run', 'studio', '--', '--port', String(port), '--no-reload']
    return await this.#serve(args, `http://127.0.0.1:${port}/ok`, {})
  }

  async #serve(args: readonly string[], url: string, env: Readonly<Record<string, string>>) {
    const child = spawn('npm', args, {
      cwd: this.folder,
      env: { ...this.#env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', part => {
        output += String(part)
      })
    const exited = once(child, 'close').then(([code]) => code as number | null)
    onTestFinished(async () => void (await end(child, exited)))
    while (!(await answers(url))) {
      if (child.exitCode !== null) throw new Error(`npm ${args.join(' ')} ended at start: ${output}`)
      await delay(50)
    }
    return async () => await end(child, exited)
  }
}

async function end(child: ChildProcess, exited: Promise<number | null>): Promise<number | null> {
  child.kill('SIGTERM')
  return await exited
}

async function answers(url: string): Promise<boolean> {
  return (await fetch(url).catch(() => undefined))?.ok === true
}

function bare(): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME }
}

export async function post(task: object): Promise<Reply> {
  const response = await fetch(`${ORIGIN}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(task),
  })
  return (await response.json()) as Reply
}
