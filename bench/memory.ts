/**
 * Memory of the built service by runs at work at once: each held open by a model server that does not answer, then all
 * answered together. Needs `npm run build` and port 8080. Prints the table of docs/deployment.md.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

const RUNS = [0, 64, 128, 256, 512]
const TASK = 'Summarise the following. '.padEnd(4000, 'Lorem ipsum dolor sit amet. ')
const ANSWER = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 2, total_tokens: 1002 },
}

/** Megabytes, as the kernel counts them. */
interface Memory {
  readonly held: number
  readonly peak: number
}

async function measure(runs: number): Promise<Memory> {
  const waiting: ServerResponse[] = []
  const allArrived = Promise.withResolvers<void>()
  const model = createServer(async (request, response) => {
    for await (const _ of request);
    if (waiting.push(response) === runs) allArrived.resolve()
  }).listen(0, '127.0.0.1')
  await once(model, 'listening')
  const { port } = model.address() as AddressInfo
  const env = {
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    NODE_ENV: 'production',
  }
  const { service, memory } = await start(env)
  try {
    const replies = Array.from({ length: runs }, (_, index) => post(index))
    if (runs > 0) await allArrived.promise
    const held = memory('VmRSS')
    for (const response of waiting) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWER))
    }
    for (const status of await Promise.all(replies)) {
      if (status !== 'success') throw new Error(`a run ended with ${status}`)
    }
    return { held, peak: memory('VmHWM') }
  } finally {
    service.kill('SIGKILL')
    model.close()
  }
}

/** Idle, and after a first task of the offline model. */
async function measureOffline(): Promise<{ idle: number; used: number }> {
  const { service, memory } = await start({ NODE_ENV: 'production' })
  try {
    const idle = memory('VmRSS')
    await post(0, 'What is 15% of 240?')
    return { idle, used: memory('VmRSS') }
  } finally {
    service.kill('SIGKILL')
  }
}

async function start(env: Record<string, string>) {
  const service = spawn(process.execPath, ['dist/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(createInterface({ input: service.stdout }), 'line')
  const memory = (key: string) => {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
    return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024
  }
  return { service, memory }
}

async function post(index: number, input = TASK): Promise<string> {
  const response = await fetch('http://127.0.0.1:8080/run', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ task_id: `test-${index}`, input }),
  })
  const { status } = (await response.json()) as { status: string }
  return status
}

const rows: string[] = []
let idle = 0
for (const runs of RUNS) {
  const { held, peak } = await measure(runs)
  if (runs === 0) idle = held
  const each = runs === 0 ? '' : `${(((held - idle) / runs) * 1024).toFixed(0)} KB`
  rows.push(`| ${runs} | ${held.toFixed(0)} MB | ${each} | ${peak.toFixed(0)} MB |`)
}
process.stdout.write(
  [
    '| Runs at once | Memory while they wait | of this, each | Most, answered together |',
    '| ---: | ---: | ---: | ---: |',
    ...rows,
    '',
  ].join('\n'),
)
const offline = await measureOffline()
process.stdout.write(
  `Offline model: ${offline.idle.toFixed(0)} MB idle, ${offline.used.toFixed(0)} MB from the first task on\n`,
)
