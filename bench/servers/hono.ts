/** How the servers that use Hono serve. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { identity, type TaskBody, tellPort } from './work.ts'

export function serveRuns(run: (task: TaskBody) => Promise<object>): void {
  const app = new Hono()
  app.get('/health', c => c.json(identity))
  app.post('/run', async c => c.json(await run(await c.req.json<TaskBody>())))
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => tellPort(server))
}
