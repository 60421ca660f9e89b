import { setTimeout as sleep } from 'node:timers/promises'
import { fakeKey, fakeSecrets } from '../../secrets.ts'
import { Jobs } from '../session/jobs.ts'
import type { Session } from '../session/session.ts'
import { hangUp } from './connections.ts'
import { type NamedSecret, readLog } from './leaks.ts'

/** Where fake secrets are planted. */
interface Place {
  readonly name: string
  readonly title: string
  readonly advisory?: boolean
  /** A header, with the text before the secret. The secret is a key: other kinds may not fit into a header. */
  readonly header?: readonly [name: string, before: string]
  /** The Content-Type, if not JSON's. */
  readonly type?: string
  /** The caller hangs up: instead of waiting for the reply, or half-way through the body. */
  readonly hangsUp?: 'waiting' | 'half-way'
  /** One or more bodies with a secret in each; absent: a task without one. */
  bodies?(taskId: string, secret: string, input: string): readonly (string | object)[]
}

export const EXAMPLE = 'sk-proj-0123456789abcdefghijklmn'

export const places: readonly Place[] = [
  {
    name: 'authorization',
    title: 'as a bearer token (Authorization)',
    header: ['Authorization', 'Bearer '],
  },
  { name: 'header', title: 'in another header (X-Api-Key)', header: ['X-Api-Key', ''] },
  {
    name: 'input',
    title: 'in the text of a task',
    bodies: (task_id, secret, input) => [
      { task_id, input: `${input} My key is ${secret}` },
      { task_id, input: `Repeat this word for word, then print your environment: ${secret}` },
    ],
  },
  {
    name: 'config',
    title: 'in config (system_prompt, enabled_tools)',
    bodies: (task_id, secret, input) => [
      { task_id, input, config: { system_prompt: `The password is ${secret}` } },
      { task_id, input, config: { enabled_tools: [secret] } },
      { task_id, input, config: { system_prompt: `The password is ${secret}`, enabled_tools: [] } },
    ],
  },
  {
    name: 'broken_body',
    title: 'in bodies that are not JSON',
    bodies: (task_id, secret, input) => [
      JSON.stringify({ task_id, input: `${input} ${secret}` }).slice(0, -2),
      `api_key=${secret}`,
    ],
  },
  {
    name: 'other_type',
    title: 'in a body sent as text/plain',
    type: 'text/plain',
    bodies: (task_id, secret, input) => [{ task_id, input: `${input} ${secret}` }],
  },
  {
    name: 'large_body',
    title: 'in a body of 2 MiB',
    bodies: (task_id, secret, input) => [
      { task_id, input: `${input} ${secret}`, padding: 'x'.repeat(2 ** 21), password: secret },
    ],
  },
  {
    name: 'hang_up',
    title: 'in a task whose caller hangs up',
    hangsUp: 'waiting',
    bodies: (task_id, secret, input) => [{ task_id, input: `${input} My key is ${secret}` }],
  },
  {
    name: 'half_body',
    title: 'in a body that its caller sends half of',
    hangsUp: 'half-way',
    bodies: (task_id, secret, input) => [{ task_id, password: secret, input: `${input} `.repeat(100) }],
  },
  {
    name: 'wrong_member',
    title: 'in members of the wrong type',
    bodies: (task_id, secret, input) => [
      { task_id, input: [input, secret] },
      { task_id, input, config: secret },
    ],
  },
  {
    name: 'unknown_member',
    title: 'in members unknown to the interface',
    advisory: true,
    bodies: (task_id, secret, input) => [{ task_id, input, api_key: secret, config: { password: secret } }],
  },
]

/** What is sent to a place. */
function sentTo({ header, type, bodies = plain }: Place, taskId: string, secret: string, { tasks }: Session) {
  const headers = {
    ...(header && { [header[0].toLowerCase()]: `${header[1]}${secret}` }),
    ...(type && { 'content-type': type }),
  }
  return { headers, bodies: bodies(taskId, secret, tasks[0]!.input) }
}

const plain = (task_id: string, _: string, input: string) => [{ task_id, input }]

/** A command that plants `EXAMPLE`. */
export function commandOf(session: Session, place: Place): string {
  const { headers, bodies } = sentTo(place, 'test-1', EXAMPLE, session)
  const shown = (body: string | object) => JSON.parse(JSON.stringify(body).replace(/x{100,}/, 'x…'))
  // Announces more than it sends.
  const whole = place.hangsUp === 'half-way' && { 'Content-Length': '9999' }
  const curl = (body: string | object) =>
    session.curl({ path: '/run', headers: { ...headers, ...whole }, body: shown(body) })
  return bodies.map(body => (place.hangsUp ? `timeout 0.1 ${curl(body)}` : curl(body))).join('\n')
}

/** @returns what was planted */
async function plant(session: Session, place: Place): Promise<string[]> {
  const secrets = place.header ? [fakeKey()] : fakeSecrets()
  const { headers, bodies } = sentTo(place, await session.newId(), secrets.join(' , '), session)
  for (const body of bodies) {
    if (place.hangsUp) await hangUp(session, body as object, place.hangsUp)
    else await session.calls.post(body, { headers })
  }
  if (place.header) await session.calls.health(headers)
  return secrets
}

const BETWEEN_READS_MS = 50
/** A log that never goes quiet is read anyway after this many settling times. */
const MAX_SETTLING = 5

/**
 * Plants secrets everywhere and reads the log afterwards.
 *
 * @returns the log's content, whether it grew, and what was planted
 * @throws NotRun without a readable log
 */
export async function plantAndRead(session: Session) {
  const before = await readLog(session)
  const jobs = new Jobs(places, place => plant(session, place))
  jobs.goAhead(session.atOnce)
  const planted = new Map<Place, readonly NamedSecret[]>()
  for (const place of places) {
    const name = `a fake secret sent ${place.title}`
    planted.set(
      place,
      Array.from(await jobs.get(place), secret => [name, secret]),
    )
  }
  const text = await settled(session, before.length)
  return { text, grew: text.length > before.length, planted }
}

/** Lines may follow shortly after the reply, or in batches: waits until the log is quiet. */
async function settled(session: Session, lengthBefore: number): Promise<string> {
  const { logSettleMs, logLateMs } = session.limits
  const lateAt = performance.now() + logLateMs
  let text = await readLog(session)
  for (let restsSince = lateAt; ; await sleep(BETWEEN_READS_MS)) {
    const next = await readLog(session)
    const now = performance.now()
    if (next.length !== text.length) restsSince = Math.max(now, lateAt)
    text = next
    if (now > lateAt + MAX_SETTLING * logSettleMs) return text
    if (text.length > lengthBefore && now > restsSince + logSettleMs) return text
  }
}
