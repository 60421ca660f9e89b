import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface StudioProcess {
  /** The leader of a group of its own. */
  readonly child: ChildProcess
  /** Everything it printed so far, errors included. */
  readonly output: () => string
  /** Resolves when a line of this text is printed, or with `false` when it ends first. */
  prints(text: string): Promise<boolean>
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>
}

export interface Studio extends StudioProcess {
  readonly url: string
  /** Where it keeps its threads. */
  readonly folder: string
  /** Ends it as Ctrl-C does, or as a supervisor, and removes its threads. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts `npm run studio` on a free port, its threads in a folder of their own.
 *
 * @param env its environment besides PATH and HOME
 * @param graphs what it serves, as in `langgraph.json`, by absolute paths; absent: the agent
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
  const port = await freePort()
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

/** The same without waiting for it to answer. */
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
  const watchers = new Set<() => void>()
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', line => {
      lines.push(line)
      for (const watcher of watchers) watcher()
    })
  }
  const prints: StudioProcess['prints'] = text =>
    new Promise(resolve => {
      const watch = () => void (lines.some(line => line.includes(text)) && resolve(true))
      watchers.add(watch)
      watch()
      void exited.then(() => resolve(false))
    })
  return { child, output: () => lines.join('\n'), prints, exited }
}
