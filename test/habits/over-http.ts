import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AgentDefinition } from '@agent-task-service/engine'
import { watchRun } from '@agent-task-service/test-support/event-stream'
import type { StreamEvent } from '@agent-task-service/wire/contract'
import { onTestFinished } from 'vitest'
import type { Task } from './edit.ts'

export interface HttpRun {
  readonly output: string
  readonly error: string | undefined
  readonly metrics: { readonly steps: number; readonly input_tokens: number; readonly output_tokens: number }
  readonly events: readonly StreamEvent[]
  /** Written with `config.writer`. */
  readonly custom: readonly unknown[]
  /** The log line of the run. */
  readonly line: Record<string, unknown>
}

/** A copy's agent, loaded by Node itself as `npm run dev` does, served as it ships, with its log; stops with the test. */
export async function serve(folder: string, env: Record<string, string>) {
  const lines: Record<string, unknown>[] = []
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) }
  // The engine that the copy's graph and tools import.
  const load = createRequire(join(folder, 'package.json'))
  const { readConfig } = load(
    '@agent-task-service/engine/config',
  ) as typeof import('@agent-task-service/engine/config')
  const { listen } = load(
    '@agent-task-service/engine/server',
  ) as typeof import('@agent-task-service/engine/server')
  const made = load(
    '@agent-task-service/engine/service',
  ) as typeof import('@agent-task-service/engine/service')
  const { agent } = load('./src/agent.ts') as { readonly agent: AgentDefinition }
  const service = await made.createService(agent, readConfig(env, agent), sink)
  const { port, drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
  /** Stops it once its telemetry is delivered. */
  const close = async () => {
    await drain(0)
    await service.close(60_000)
  }
  onTestFinished(close)
  const watch = ({ input, config }: Pick<Task, 'input' | 'config'>) =>
    watchRun(`http://127.0.0.1:${port}`, { task_id: 'test-1', input, config })
  const run = async (task: Task): Promise<HttpRun> => {
    const events = await watch(task).rest()
    const last = events.at(-1)
    if (last?.type !== 'run_finished') throw new Error(`expected run_finished last, got ${last?.type}`)
    const { output, metrics, ...rest } = last.data.response
    const line = lines.findLast(({ msg }) => msg === 'run') ?? {}
    const error = 'error' in rest ? rest.error : undefined
    const custom = events.flatMap(({ type, data }) => (type === 'custom' ? [data.data] : []))
    return { output, error, metrics: metrics as HttpRun['metrics'], events, custom, line }
  }
  return { run, watch, lines, models: service.models, close }
}
