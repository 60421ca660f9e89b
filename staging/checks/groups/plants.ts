import { setTimeout as sleep } from 'node:timers/promises'
import { NotRun } from '../check.ts'
import { curl } from '../curl.ts'
import { fakeKey, fakeSecrets } from '../secrets.ts'
import { type Session, TOKEN_VARIABLE } from '../session/session.ts'

/** Where fake secrets are planted. */
export interface Place {
  readonly name: string
  readonly title: string
  readonly mandatory: boolean
  /** @returns what was planted */
  plant(session: Session, input: string): Promise<readonly string[]>
  /** A command that plants `EXAMPLE`. */
  command(session: Session, input: string): string
}

export const EXAMPLE = 'sk-proj-0123456789abcdefghijklmn'

const JSON_TYPE = { 'content-type': 'application/json' }

export const places: readonly Place[] = [
  {
    name: 'header',
    title: 'in headers of a request (Authorization, X-Api-Key)',
    mandatory: true,
    plant: async (session, input) => {
      const [token, key] = [fakeKey(), fakeKey()]
      const headers = { authorization: `Bearer ${token}`, 'x-api-key': key }
      const body = JSON.stringify({ task_id: await session.newId(), input })
      await session.calls.send('POST', '/run', { headers: { ...JSON_TYPE, ...headers }, body })
      await session.calls.health(headers)
      return [token, key]
    },
    command: ({ url }, input) => {
      const headers = { Authorization: `Bearer ${EXAMPLE}`, 'X-Api-Key': EXAMPLE }
      return curl({ url, path: '/run', headers, body: { task_id: 'test-1', input } })
    },
  },
  inBody('input', 'in the text of a task', true, (id, secret, input) => [
    JSON.stringify({ task_id: id(), input: `${input} My key is ${secret}` }),
    JSON.stringify({ task_id: id(), input: `Print your environment, and repeat this: ${secret}` }),
  ]),
  inBody('config', 'in config (system_prompt, enabled_tools)', true, (id, secret, input) => [
    JSON.stringify({ task_id: id(), input, config: { system_prompt: `The password is ${secret}` } }),
    JSON.stringify({ task_id: id(), input, config: { enabled_tools: [secret] } }),
  ]),
  inBody('broken_body', 'in bodies that are no JSON', true, (id, secret, input) => [
    JSON.stringify({ task_id: id(), input: `${input} ${secret}` }).slice(0, -2),
    `api_key=${secret}`,
  ]),
  inBody('wrong_member', 'in members of a wrong type', true, (id, secret, input) => [
    JSON.stringify({ task_id: id(), input: [input, secret] }),
    JSON.stringify({ task_id: id(), input, config: secret }),
  ]),
  inBody('unknown_member', 'in members that the interface does not name', false, (id, secret, input) => [
    JSON.stringify({ task_id: id(), input, api_key: secret, config: { password: secret } }),
  ]),
  inBody('task_id', 'in place of a task_id', false, (_, secret, input) => [
    JSON.stringify({ task_id: secret, input }),
  ]),
  {
    name: 'query',
    title: 'in the query of the address',
    mandatory: false,
    plant: async (session, input) => {
      const key = fakeKey()
      const body = JSON.stringify({ task_id: await session.newId(), input })
      await session.calls.send('POST', `/run?api_key=${key}`, { headers: JSON_TYPE, body })
      return [key]
    },
    command: ({ url }, input) =>
      curl({ url, path: `/run?api_key=${EXAMPLE}`, body: { task_id: 'test-1', input } }),
  },
]

/** @param bodiesWith one body or more with a secret in each */
function inBody(
  name: string,
  title: string,
  mandatory: boolean,
  bodiesWith: (newId: () => string, secret: string, input: string) => readonly string[],
): Place {
  return {
    name,
    title,
    mandatory,
    plant: async (session, input) => {
      const secrets = fakeSecrets()
      for (const body of bodiesWith(await session.ids(), secrets.join(' , '), input)) {
        await session.calls.send('POST', '/run', { headers: JSON_TYPE, body })
      }
      return secrets
    },
    command: ({ url, options: { token } }, input) => {
      const tokenVariable = token === undefined ? undefined : TOKEN_VARIABLE
      return bodiesWith(() => 'test-1', EXAMPLE, input)
        .map(body => curl({ url, path: '/run', body, tokenVariable }))
        .join('\n')
    },
  }
}

/** What the log held once everything was planted. */
export interface LogAfterwards {
  readonly text: string
  /** Whether it grew meanwhile. */
  readonly grew: boolean
  /** By the names of the places. */
  readonly planted: ReadonlyMap<string, readonly string[]>
}

const NO_LOG =
  'no log was given: --log FILE, --log - for a pipe, or --start COMMAND, which starts the agent and reads its output'
const BETWEEN_READS_MS = 50
/** A log that never rests is taken as it is after so many times the settling time. */
const MOST_SETTLING = 5

/**
 * Plants secrets everywhere and reads the log afterwards.
 *
 * @throws NotRun without a log that can be read
 */
export async function plantAndRead(session: Session): Promise<LogAfterwards> {
  const before = await readLog(session)
  const { input } = session.tasks[0]!
  const planted = new Map<string, readonly string[]>()
  for (const place of places) planted.set(place.name, await place.plant(session, input))
  const text = await settled(session, before.length)
  return { text, grew: text.length > before.length, planted }
}

async function readLog({ options: { log, start } }: Session): Promise<string> {
  const sources = [start?.log, log].filter(source => source !== undefined)
  if (sources.length === 0) throw new NotRun(NO_LOG)
  const texts = sources.map(async ({ name, read }) => {
    try {
      return await read()
    } catch (error) {
      throw new NotRun(
        `${name} could not be read: ${error instanceof Error ? error.message : 'unknown error'}`,
      )
    }
  })
  return (await Promise.all(texts)).join('\n')
}

/** Lines may be written a little after the reply: waits until the log rests. */
async function settled(session: Session, lengthBefore: number): Promise<string> {
  const { logSettleMs } = session.limits
  const startedAt = performance.now()
  let text = await readLog(session)
  let changedAt = startedAt
  const isDone = (now: number) => {
    if (now - startedAt > MOST_SETTLING * logSettleMs) return true
    return text.length > lengthBefore && now - changedAt > logSettleMs
  }
  while (!isDone(performance.now())) {
    await sleep(BETWEEN_READS_MS)
    const next = await readLog(session)
    if (next.length !== text.length) changedAt = performance.now()
    text = next
  }
  return text
}
