import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFailed, onTestFinished } from 'vitest'
import { until } from './until.ts'

export const CTRL_C = '\x03'

export interface Terminal {
  readonly pid: number
  /** Everything shown so far. */
  text(): string
  /** Resolves when matching text is shown, past or future; rejects if the program exits first. */
  shows(pattern: RegExp): Promise<RegExpMatchArray>
  type(keys: string): void
  /** Resolves with the program's exit code. */
  readonly exited: Promise<number>
}

/** Runs a program in its own terminal, through `script` of util-linux or macOS; it ends with the test. */
export function startInTerminal(
  command: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Terminal {
  const quoted = `exec ${command.map(word => `'${word}'`).join(' ')}`
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', ...command] : ['-qefc', quoted, '/dev/null']
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('script', args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout.on('data', chunk => {
    text += String(chunk)
  })
  onTestFailed(() => void process.stdout.write(`the terminal showed:\n${text}\n`))
  const exited = once(child, 'close').then(([code]) => code as number)
  const shows: Terminal['shows'] = async pattern => {
    await until(() => pattern.test(text) || child.stdout.closed)
    const found = pattern.exec(text)
    if (!found) throw new Error(`the program exited before its terminal showed ${pattern}`)
    return found
  }
  return { pid: child.pid!, text: () => text, shows, type: keys => void child.stdin.write(keys), exited }
}
