import { fileURLToPath } from 'node:url'
import { startProcess, type TestProcess } from '@agent-task-service/test-support/process'
import { type RunResponse, runResponse } from '@agent-task-service/wire/contract'

export interface Task {
  readonly task_id: string
  readonly input: string
}

/** This many tasks, each with its own input. */
export function someTasks(count: number): Task[] {
  return Array.from({ length: count }, () => {
    const task_id = crypto.randomUUID()
    return { task_id, input: `task ${task_id}` }
  })
}

const REPLICA = fileURLToPath(new URL('../../node_modules/.cache/fleet/replica.js', import.meta.url))

export async function startReplicas(count: number, env: Record<string, string>): Promise<TestProcess[]> {
  return await Promise.all(Array.from({ length: count }, () => startProcess(env, [], REPLICA)))
}

/** One attempt at one replica. */
export async function send(
  { post, output }: TestProcess,
  task: Task,
  init?: RequestInit,
): Promise<RunResponse> {
  const response = await post(task, init)
  if (response.status !== 200)
    throw new Error(
      `HTTP ${response.status}: ${await response.text()} ${output.filter(l => l.includes('error')).join()}`,
    )
  return runResponse.parse(await response.json())
}

/** Like an orchestrator: retries cut or refused requests at the next replica until there is a reply. */
export async function insist(replicas: readonly TestProcess[], task: Task): Promise<RunResponse> {
  for (let attempt = 0; ; attempt += 1) {
    const replica = replicas[attempt % replicas.length] as TestProcess
    try {
      return await send(replica, task)
    } catch (error) {
      if (attempt > 200) throw error
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

export function pick<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T
}
