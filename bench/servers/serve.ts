/** What the servers that this service is compared with share: a minimal prompt, the model, and Hono. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'

export const prompt = 'You are a helpful assistant.'
export const model = process.env.MODEL ?? ''

interface ServedRun {
  readonly output: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly steps: number
}

/** Runs a task. `onText` gets the answer as it arrives, if this server streams. */
export type RunTask = (input: string, onText: (text: string) => unknown) => Promise<ServedRun>

/** Serves on a free port of 127.0.0.1, and prints it. */
export function serveRuns(run: RunTask): void {
  const app = new Hono()
  app.get('/health', c => c.json({ status: 'ok', agent_id: 'agent-1', agent_name: 'bench' }))
  app.post('/run', async c => {
    if (c.req.header('accept') !== 'text/event-stream') return c.json(await replyTo(c, run, () => {}))
    return streamSSE(c, async stream => {
      const onText = (text: string) => stream.writeSSE({ event: 'text', data: JSON.stringify({ text }) })
      const reply = await replyTo(c, run, onText)
      await stream.writeSSE({ event: 'run_finished', data: JSON.stringify(reply) })
    })
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
    process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`)
  })
}

async function replyTo(c: Context, run: RunTask, onText: (text: string) => unknown) {
  const startedAt = performance.now()
  const { task_id, input } = await c.req.json<{ task_id: string; input: string }>()
  const { output, ...spent } = await run(input, onText)
  const duration_sec = Math.round(performance.now() - startedAt) / 1000
  return { task_id, status: 'success', output, metrics: { duration_sec, ...spent } }
}
