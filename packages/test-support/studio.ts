import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { heldPort } from './held-port.ts'
import { until } from './until.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface StudioProcess {
  /** Leads its process group. */
  readonly child: ChildProcess
  /** Everything printed so far, errors included. */
  readonly output: () => string
  /** Resolves when a line with this text is printed, or with `false` if the process exits first. */
  prints(text: string): Promise<boolean>
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>
}

export interface Studio extends StudioProcess {
  readonly url: string
  /** Folder of its threads. */
  readonly folder: string
  /** Stops it as Ctrl-C or a supervisor does, and deletes its threads. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts `npm run studio` on a free port, with its threads in a temporary folder.
 *
 * @param env its environment in addition to PATH and HOME
 * @param graphs the graphs to serve, as in `langgraph.json`, with absolute paths; absent: the agent
 */
export async function startStudio(
  env: Record<string, string> = {},
  graphs?: Readonly<Record<string, string>>,
): Promise<Studio> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-'))
  const config = JSON.parse(await readFile(join(ROOT, 'langgraph.json'), 'utf8'))
  const paths = Object.entries(graphs ?? { agent: join(ROOT, config.graphs.agent) })
  config.graphs = Object.fromEntries(paths.map(([name, path]) => [name, relative(folder, path)]))
  await writeFile(join(folder, 'langgraph.json'), JSON.stringify(config))
  const port = await heldPort()
  const studio = spawnStudio(
    ['--port', String(port), '--config', join(folder, 'langgraph.json'), '--no-reload'],
    env,
  )
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    studio.child.kill(signal)
    const code = await studio.exited
    await rm(folder, { recursive: true, force: true })
    return code
  }
  if (!(await studio.prints('smith.langchain.com/studio'))) {
    await stop()
    throw new Error(`npm run studio ended at start: ${studio.output()}`)
  }
  return { ...studio, url: `http://127.0.0.1:${port}`, folder, stop }
}

/** Like `startStudio`, but does not wait for an answer. */
export function spawnStudio(args: readonly string[], env: Record<string, string> = {}): StudioProcess {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('npm', ['run', 'studio', '--silent', '--', ...args], {
    cwd: ROOT,
    env: { PATH, HOME, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const lines: string[] = []
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', line => void lines.push(line))
  const prints = async (text: string) => {
    const isThere = () => lines.some(line => line.includes(text))
    await until(() => isThere() || child.stdout.closed)
    return isThere()
  }
  return { child, output: () => lines.join('\n'), prints, exited }
}
