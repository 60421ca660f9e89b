import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { seedsOf } from '@agent-task-service/test-support/at-length'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess, type TestProcess } from '@agent-task-service/test-support/process'
import { Random } from '@agent-task-service/test-support/random'
import { expect, onTestFinished, test } from 'vitest'

/** What Node takes by itself in a container of 512 MiB. */
const NODE = ['--max-old-space-size=256']
const TOKEN = 'a-token-of-this-test'
/** Most bytes that a flood sends, and longest body. */
const [MAX_SENT, MAX_BODY] = [60_000_000, 900_000]
/** Of a longer request that is refused, this process may still write the body when half a second is over. */
const LONG = 100_000
/** How long a flood is kept up at most, and one of refusals, each of which is counted, in milliseconds. */
const [FLOOD_MS, REFUSALS_MS] = [8_000, 60_000]
/**
 * Of the processor time that a flood takes, what passes until a health check is answered: half of them, and each beside refusals. Beside
 * large bodies one may wait until their memory is collected.
 */
const [USUAL, LONGEST] = [1 / 10, 1 / 2]
/** Floods that take less processor time have too few health checks beside them, in milliseconds. */
const SHORT_MS = 2_000

/** Values that take a body of so many bytes, by what they do to who parses them. */
const VALUES: Readonly<Record<string, (size: number) => string>> = {
  'a text': size => `"${'x'.repeat(size)}"`,
  levels: size => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'levels of objects': size => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
  'a level that never ends': size => '['.repeat(size),
  numbers: size => `[${'1,'.repeat(size / 2)}1]`,
  'empty lists': size => `[${'[],'.repeat(size / 3)}[]]`,
  names: size => `{${Array.from({ length: size / 12 }, (_, n) => `"name${n}":1`)}}`,
}

interface Flood {
  readonly what: string
  readonly connections: number
  readonly requestsEach: number
  /** Whether all are refused before their bodies are read, and those arrive before the service gives up on them. */
  readonly areRefused: boolean
  readonly request: (n: number) => Buffer
}

/** A flood of some kind: who sends how much of what, in which pieces. */
function drawFlood(random: Random): Flood {
  const connections = random.pick([1, 8, 20, 50, 100, 200])
  const path = random.happens(0.8) ? 'POST /run' : random.pick(['GET /health', 'PUT /run', 'GET /nowhere'])
  const isAuthorized = random.happens(0.5)
  const kind = random.pick(Object.keys(VALUES))
  const size = random.happens(0.6) ? random.pick([1_000, 15_000, 200_000, MAX_BODY]) : 0
  const chunk = random.happens(0.4) ? undefined : random.pick([1, 7, 64, 4_096])
  const value = VALUES[kind]!(size)
  const head = [
    `${path} HTTP/1.1\r\nHost: agent\r\nContent-Type: application/json`,
    ...(isAuthorized ? [`Authorization: Bearer ${TOKEN}`] : []),
  ].join('\r\n')
  const requestOf = (n: number) => {
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const body = size === 0 ? '{}' : `{"task_id":"${id}","input":"Hello","x":${value}}`
    const framing = chunk === undefined ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked'
    return Buffer.from(`${head}\r\n${framing}\r\n\r\n${chunk === undefined ? body : inChunks(body, chunk)}`)
  }
  const first = requestOf(0)
  const framing = chunk === undefined ? 'declared' : `in chunks of ${chunk}`
  return {
    what: `${connections} × ${path}, ${size} bytes of ${kind}, ${framing}, ${isAuthorized ? 'a token' : 'none'}`,
    connections,
    areRefused: (!isAuthorized || path !== 'POST /run') && first.length < LONG,
    requestsEach: Math.ceil(Math.min(2_000, MAX_SENT / connections / first.length)),
    // Making chunks would take this process longer than reading them takes the service.
    request: chunk === undefined ? requestOf : () => first,
  }
}

function inChunks(body: string, size: number): string {
  const chunks = []
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size)
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  }
  return `${chunks.join('')}0\r\n\r\n`
}

/**
 * Resolves when all is sent and each connection has closed, or after a while.
 *
 * @returns how many replies came, and whether each connection has closed by itself
 */
async function send(port: number, { connections, requestsEach, areRefused, request }: Flood) {
  const over = new Promise<void>(resolve => setTimeout(resolve, areRefused ? REFUSALS_MS : FLOOD_MS))
  let replies = 0
  let isWhole = true
  const one = (_: unknown, n: number) =>
    new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      let sent = 0
      const go = () => {
        while (sent < requestsEach)
          if (!socket.write(request(n * requestsEach + sent++))) return void socket.once('drain', go)
        socket.end()
      }
      let rest = ''
      socket
        .setEncoding('latin1')
        .on('data', text => {
          const parts = (rest + text).split('HTTP/1.1 ')
          replies += parts.length - 1
          // The mark itself may come in two pieces.
          rest = parts.at(-1)!.slice(-8)
        })
        .on('connect', go)
        .on('error', () => resolve())
        .on('close', () => resolve())
      void over.then(() => {
        isWhole &&= socket.destroyed
        socket.destroy()
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  return { replies, isWhole }
}

/** Processor time of the process so far, in milliseconds; the kernel counts in tens. */
function cpuOf({ child }: TestProcess): number {
  const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ')
  return 10 * (Number(user) + Number(system))
}

/** Asks for the health until the work is done. @returns the processor time that each answer took, ascending */
async function healthDuring(service: TestProcess, work: Promise<unknown>): Promise<number[]> {
  let isOver = false
  void work.then(() => {
    isOver = true
  })
  const took: number[] = []
  while (!isOver) {
    const before = cpuOf(service)
    const headers = { connection: 'close' }
    const { status } = await fetch(`${service.url}/health`, { headers }).catch(error => {
      throw new Error(service.errors().slice(0, 600) || service.output.at(-1), { cause: error })
    })
    expect(status).toBe(200)
    took.push(cpuOf(service) - before)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  return took.sort((one, other) => one - other)
}

// EVIDENCE-OF docs/reference/threat-model.md: at most 1,000 callers share a run
test('floods of every kind, one after the other: health checks are answered, and then an ordinary task', async () => {
  const model = await openAIServer(() => says('done', { usage: { prompt_tokens: 10, completion_tokens: 5 } }))
  const service = await startProcess({ ...model.env, AGENT_TOKENS: TOKEN }, NODE)
  const port = Number(new URL(service.url).port)
  const headers = { authorization: `Bearer ${TOKEN}` }
  for (const seed of seedsOf(40, 2)) {
    const flood = drawFlood(new Random(seed))
    const before = cpuOf(service)
    const sending = send(port, flood)
    const took = await healthDuring(service, sending)
    const { replies, isWhole } = await sending
    const all = cpuOf(service) - before
    const [usual = 0, longest = 0] = [took[Math.floor(took.length / 2)], took.at(-1)]
    const asked = flood.connections * flood.requestsEach
    process.stdout.write(
      `seed ${seed}: ${flood.what}: ${replies} replies to ${asked}, ${all} ms; ${took.length} health checks, ${usual} ms, ${longest} ms\n`,
    )
    expect(service.child.exitCode).toBeNull()
    if (flood.areRefused && isWhole) expect([flood.what, replies]).toEqual([flood.what, asked])
    if (all > SHORT_MS) expect(usual / all, flood.what).toBeLessThan(USUAL)
    if (all > SHORT_MS && flood.areRefused) expect(longest / all, flood.what).toBeLessThan(LONGEST)
    const reply = await service.post({ task_id: `test-${seed}`, input: 'Hello' }, { headers })
    expect(await reply.json()).toMatchObject({ status: 'success', output: 'done' })
  }
})
