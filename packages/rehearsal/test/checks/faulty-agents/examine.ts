import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { logStream } from '@agent-task-service/rehearsal/agents'
import { runChecks } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { fakeKey } from '@agent-task-service/rehearsal/secrets'
import { parseTasks, readTasks, SHIPPED_TASKS } from '@agent-task-service/rehearsal/tasks'
import { startPlatformOfChecks } from '../platform-of-checks.ts'
import type { Agent as Examined } from './fault.ts'
import { ROOMY } from './limits.ts'

/** A few of the shipped tasks, one of each kind. */
const NAMES = [
  'percentage',
  'product',
  'now in a city with an accent',
  'weekday',
  'days across a leap day',
  'two questions',
  'long answer',
]
const shipped = await readTasks(SHIPPED_TASKS)
const decimals = parseTasks(
  'tasks: [{ input: What is 7.25 plus 3.5?, expect: { number: 10.75 } }]',
  'faulty-agents',
).tasks
export const tasks = {
  tasks: [...NAMES.map(name => shipped.tasks.find(task => task.name === name)!), ...decimals],
}

/** Serves an agent of this kind in this process, with a token and with secrets around it, and checks it. */
export async function examine({ Agent, settings, limits, only, isOpen, stalls }: Examined): Promise<Report> {
  const token = isOpen ? undefined : fakeKey()
  const secrets = new Map([['MODEL_API_KEY', fakeKey()]])
  const lines = new PassThrough()
  const log = (line: string) => void lines.write(`${line}\n`)
  const environment = Object.fromEntries(secrets)
  const agent = new Agent({ tokens: token === undefined ? [] : [token], log, environment, ...settings })
  const server = agent.server().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const end = async () => ({ how: 'exit code 0', clean: true })
  const startStalled = async () => {
    agent.isStalled = true
    return { end }
  }
  const source = logStream('the log of the test', lines)
  agent.log('listening', { port })
  const url = `http://127.0.0.1:${port}`
  const platform = await startPlatformOfChecks({ id: 'agent-4711', url, token })
  try {
    return await runChecks({
      url,
      token,
      platform,
      tasks,
      only,
      start: { readyMs: 10, log: source, secrets, ...(stalls && { end }) },
      startStalled: stalls ? startStalled : undefined,
      limits: { ...ROOMY, ...limits },
    })
  } finally {
    await platform.close()
    server.close()
    server.closeAllConnections()
  }
}
