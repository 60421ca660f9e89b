/**
 * Measures the first tasks of a fresh process, with the offline model and with a provider: start-up, idle memory, the
 * first and second task, and the slowest `/health` meanwhile.
 * Usage: node bench/first-use.ts [seconds from start to first task, 5] [rounds, 3]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './client.ts'
import { Arena } from './contestants.ts'
import { pollHealth } from './measures/burst.ts'
import type { Program } from './program.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'

const [idleSeconds = 5, rounds = 3] = process.argv.slice(2).map(Number)
/** Pairs of similar tasks: the first and the second of their kind. */
const TASKS = [
  ['What is 17*23?', 'What is 41*12?'],
  ['What time is it in Tokyo?', 'What time is it in London?'],
] as const

interface FirstUse {
  readonly start: number
  readonly idle: number
  readonly first: number
  readonly second: number
  readonly health: number
}

await using arena = await Arena.create()
const rows: string[][] = []
for (const provider of ['offline', 'openai']) {
  for (const tasks of TASKS) {
    const all: FirstUse[] = []
    for (let round = 0; round < rounds; round++) all.push(await firstUse(provider, tasks))
    const of = (key: keyof FirstUse) => median(all.map(one => one[key])).toFixed(0)
    rows.push([
      provider,
      tasks[0],
      `${of('start')} ms`,
      `${of('idle')} MB`,
      `${of('first')} ms`,
      `${of('second')} ms`,
      `${of('health')} ms`,
    ])
  }
}
process.stdout.write(
  `${table(['provider', 'task', 'start', 'idle memory', 'first', 'second', 'slowest /health'], rows)}\n`,
)

async function firstUse(provider: string, [first, second]: readonly [string, string]): Promise<FirstUse> {
  const startedAt = performance.now()
  await using server = await arena.start('ours', [], { MODEL_PROVIDER: provider })
  await call(server.port, 'GET', '/health', undefined, 'own')
  const start = performance.now() - startedAt
  const times = await pollHealth(server)
  await sleep(idleSeconds * 1000 - start)
  const idle = server.memory('VmRSS')
  return {
    start,
    idle,
    first: await msOf(server, first),
    second: await msOf(server, second),
    health: Math.max(...(await times())),
  }
}

async function msOf({ port }: Program, input: string): Promise<number> {
  const { ms, text } = await call(port, 'POST', '/run', { task_id: 'test-1', input })
  if (!text.includes('"status":"success"')) throw new Error(`a run went wrong: ${text}`)
  return ms
}
