import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface BenchProcess extends Disposable {
  readonly port: number
  readonly pid: number
}

/** Starts a program of this folder and waits until it tells its port: alone on a line, or as `"port":` in JSON. */
export async function startProgram(
  file: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<BenchProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return { port: await portOf(child), pid: child.pid ?? 0, [Symbol.dispose]: () => void child.kill() }
}

async function portOf(child: ChildProcess): Promise<number> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    const port = /^(\d+)$|"port":(\d+)/m.exec(output)
    if (!port) continue
    child.stdout?.resume()
    return Number(port[1] ?? port[2])
  }
  throw new Error(`the program ended before it told its port: ${output}`)
}
