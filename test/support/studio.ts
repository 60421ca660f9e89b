import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Studio extends AsyncDisposable {
  readonly url: string
}

/** Starts LangGraph's development server on the project's graph, on a free port of 127.0.0.1. */
export async function startStudio(): Promise<Studio> {
  const port = await freePort()
  const args = ['dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)]
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANGGRAPH_CLI_NO_ANALYTICS: '1' }
  // It starts processes of its own: a group of theirs can be ended as a whole.
  const child = spawn('node_modules/.bin/langgraphjs', args, { env, detached: true, stdio: 'ignore' })
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGTERM')
    } catch {
      // It has ended by itself.
    }
    await closed
  }
  for (let tries = 0; !(await isUp(url)); tries += 1) {
    if (tries === 600 || child.exitCode !== null) {
      await stop()
      throw new Error("LangGraph's development server did not come up")
    }
    await sleep(100)
  }
  return { url, [Symbol.asyncDispose]: stop }
}

async function isUp(url: string): Promise<boolean> {
  return await fetch(`${url}/ok`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}
