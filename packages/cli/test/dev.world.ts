import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { AGENT } from '@agent-task-service/test-support/process'
import { CTRL_C, startInTerminal } from '@agent-task-service/test-support/terminal'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
// Only time tells that a save is not noticed.
vi.setConfig({ testTimeout: 120_000 })

/** A stand-in that starts faster than the service: prints how it was started, and the last mark it finds. */
const SERVICE = `
import { globSync, readFileSync } from 'node:fs'
process.on('SIGTERM', () => process.exit())
setInterval(() => {}, 60_000)
const files = globSync('{src,graph,tools,packages}/**/*.ts').map(file => readFileSync(file, 'utf8'))
const marks = [process.env.MARK, ...(files.join().match(/(?<=mark = )\\d+/g) ?? [])].map(Number)
console.log('pid', process.pid, 'errors', process.env.LOG_ERRORS, 'model input', process.env.STREAM_MODEL_INPUT, 'mark', Math.max(...marks.filter(Number.isFinite)))
`

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dev (#?%41)-'))
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const path of ['src', 'graph', 'tools/deep', 'packages/engine'])
    await mkdir(join(folder, path), { recursive: true })
  write('src/main.ts', SERVICE)
  write('src/agent.ts', '')
  write('graph/a.ts', '// mark = 0')
  write('tools/deep/b.ts', '')
})
afterEach(async () => await rm(folder, { recursive: true }))

// Without turns of the event loop in between, which may take long: what is one save would cause several restarts.
const write = (path: string, text: string) => writeFileSync(join(folder, path), text)

function writeAndRename(path: string, text: string): void {
  write('temporary', text)
  renameSync(join(folder, 'temporary'), join(folder, path))
}

function writeInNewFolder(path: string, text: string): void {
  rmSync(join(folder, dirname(path)), { recursive: true, force: true })
  mkdirSync(join(folder, dirname(path)))
  write(path, text)
}

/** Starts it outside a terminal. */
function start(command: string, args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Resolves when the service is up. */
async function isUp({ stdout }: { readonly stdout: Readable }): Promise<void> {
  const lines = createInterface({ input: stdout })
  const up = Promise.withResolvers<void>()
  lines.on('line', line => line.startsWith('pid ') && up.resolve())
  await up.promise
}

function expectGone(pid: number): void {
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
}

// EVIDENCE-OF README.md: `npm run dev` serves from the sources, restarts on every save, and logs the messages and stacks of
//   your own errors.
// EVIDENCE-OF docs/configuration.md: | `LOG_ERRORS` |
// EVIDENCE-OF docs/reference/tool-rules.md: The log has a line `tool failed`: with message and stack under `npm run dev`, in
//   Studio and with `LOG_ERRORS=full`, otherwise with class and location only
test('notices every save, however it is written, and again', async () => {
  const terminal = startInTerminal([process.execPath, AGENT, 'dev'], { cwd: folder })
  await terminal.shows(/errors full model input true mark 0\b/)
  const saves: [save: typeof write, path: string][] = [
    [write, 'graph/a.ts'],
    [writeAndRename, 'graph/a.ts'],
    [write, 'graph/a.ts'],
    [write, 'tools/deep/b.ts'],
    [writeInNewFolder, 'tools/new/c.ts'],
    [write, 'tools/new/c.ts'],
    [writeInNewFolder, 'tools/deep/b.ts'],
    [write, 'tools/deep/b.ts'],
    [write, 'packages/engine/d.ts'],
    [writeAndRename, '.env'],
  ]
  for (const [index, [save, path]] of saves.entries()) {
    const mark = index + 1
    save(path, `${path === '.env' ? 'LOG_ERRORS=brief\nMARK=' : '// mark = '}${mark}`)
    const [, changed] = await terminal.shows(
      new RegExp(
        `\\[dev\\] (\\S+) changed, restarting\\s+pid.* errors ${path === '.env' ? 'brief' : 'full'} .* mark ${mark}\\b`,
      ),
    )
    expect(save === writeInNewFolder ? [dirname(path), path] : [path]).toContain(changed)
  }
})

/** Makes a folder and removes another just after the folder around them has been read. */
const MEANWHILE = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const change = path => {
  if (path !== 'tools' || fs.existsSync('tools/new')) return
  fs.rmSync('tools/deep', { recursive: true })
  fs.mkdirSync('tools/new')
}
const { readdirSync } = fs
fs.readdirSync = (path, ...options) => {
  const entries = readdirSync(path, ...options)
  change(path)
  return entries
}
syncBuiltinESMExports()
`

test('notices folders that are made and removed while it reads which there are', async () => {
  write('meanwhile.mjs', MEANWHILE)
  const command = [process.execPath, '--import', './meanwhile.mjs', AGENT, 'dev']
  const terminal = startInTerminal(command, { cwd: folder })
  await terminal.shows(/\[dev\] tools\/new changed, restarting\s+pid.* mark 0\b/)
  write('tools/new/c.ts', '// mark = 1')
  await terminal.shows(/\[dev\] tools\/new\/c.ts changed, restarting\s+pid.* mark 1\b/)
})

test('notices a save while the service ends', async () => {
  const endsSlowly = "process.once('SIGTERM', () => console.log('ending') || setTimeout(process.exit, 300))"
  write('src/main.ts', SERVICE.replace(/^process.on.*$/m, endsSlowly))
  const terminal = startInTerminal([process.execPath, AGENT, 'dev'], { cwd: folder })
  await terminal.shows(/mark 0\b/)
  write('graph/a.ts', '// mark = 1')
  await terminal.shows(/ending/)
  write('graph/a.ts', '// mark = 2')
  await terminal.shows(/(?:graph\/a\.ts changed, restarting[\s\S]*){2}pid.* mark 2\b/)
})

test('a file with a syntax error does not stop it: the next save starts the service again', async () => {
  write('src/main.ts', 'export const = 1')
  const terminal = startInTerminal([process.execPath, AGENT, 'dev'], { cwd: folder })
  await terminal.shows(/SyntaxError/)
  await terminal.shows(/\[dev\] the service exited \(exit code 1\); save a file to restart it/)
  write('src/main.ts', SERVICE)
  await terminal.shows(/mark 0\b/)
})

test('one Ctrl-C in a terminal stops all of it', async () => {
  const terminal = startInTerminal(['npm', 'run', 'dev'], { cwd: folder })
  const [, pid] = await terminal.shows(/pid (\d+)/)
  terminal.type(CTRL_C)
  expect(await terminal.exited).toBe(0)
  expectGone(Number(pid))
  expect(terminal.text()).not.toMatch(/assert/i)
})

test('SIGTERM to npm stops all of it too', async () => {
  const npm = start('npm', ['run', 'dev'])
  await isUp(npm)
  npm.kill('SIGTERM')
  // Closes once nobody is left that could write.
  await once(npm, 'close')
})

test('if it is killed, the service stops by itself', async () => {
  const dev = start(process.execPath, [AGENT, 'dev'])
  await isUp(dev)
  dev.kill('SIGKILL')
  await once(dev, 'close')
})

test('says in one line alone what the loader refuses', async () => {
  write('graph/c.ts', "import './a'")
  write('src/main.ts', "import '../graph/c.ts'")
  const child = spawn(process.execPath, [AGENT, 'dev'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told = text(child.stderr)
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await told).toBe('graph/c.ts: expected the name of a file, got ./a: write ./a.ts\n')
})
