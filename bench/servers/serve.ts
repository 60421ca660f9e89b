/** What the servers that this service is compared with share: a minimal prompt and tool, the model, and Hono. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** As this service calculates. */
export { calculate } from '../../packages/starter/calculator.ts'

export const prompt = 'You are a helpful assistant.'
export const model = process.env.MODEL ?? ''
/** The tool in OpenAI's format. */
export const definition = {
  type: 'function',
  function: {
    name: 'calculator',
    description: 'Calculates an arithmetic expression.',
    parameters: {
      type: 'object',
      properties: { expression: { type: 'string' } },
      required: ['expression'],
      additionalProperties: false,
    },
  },
} as const

export interface ServedRun {
  readonly output: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly steps: number
}

/** Serves on a free port of 127.0.0.1, and prints it. */
export function serveRuns(run: (input: string) => Promise<ServedRun>): void {
  const app = new Hono()
  app.get('/health', c => c.json({ status: 'ok', agent_id: 'agent-1', agent_name: 'bench' }))
  app.post('/run', async c => {
    const startedAt = performance.now()
    const { task_id, input } = await c.req.json<{ task_id: string; input: string }>()
    const { output, ...spent } = await run(input)
    const duration_sec = Math.round(performance.now() - startedAt) / 1000
    return c.json({ task_id, status: 'success', output, metrics: { duration_sec, ...spent } })
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
    process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`)
  })
}
