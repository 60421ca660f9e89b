import { randomUUID } from 'node:crypto'
import { parseDocument } from 'yaml'
import type { RunRequest } from '../../../src/http/contract.ts'
import { type Check, type CheckGroup, expectNone, Failed, NotRun } from '../check.ts'
import { curlPlatform, platformRun } from '../session/platform-access.ts'
import { failuresOf, objectIn, type Violations, violationsOf } from '../session/replies.ts'
import { newTestId, type Run, type Session } from '../session/session.ts'
import { isolation } from './isolation.ts'
import { overrides } from './overrides.ts'
import { words } from './words.ts'

/** Longest reply that is looked through for members that come twice, in characters. */
const READ_TWICE = 10_000
const SHOWN_LENGTH = 40
const OWN_PROMPT = 'You are a careful assistant. Use your tools where they help, and answer the task.'

export const run: CheckGroup = {
  id: 'run',
  title: 'A task from the staging route works',
  checks: session => [
    ...forms(session),
    ...isolation(session),
    ...overrides(session),
    ...replies(session),
    {
      id: 'run.staging_route',
      title: 'Tasks sent through the staging route succeed: test-<n> without config, a UUID with it',
      mandatory: true,
      why: words.staging,
      how: curlPlatform(session),
      look: async () => {
        const { task } = await session.reference()
        const plain = { task_id: newTestId(), input: task.input, ...(task.config && { config: task.config }) }
        const configured = { ...plain, task_id: randomUUID(), config: { ...task.config, max_tokens: 4096 } }
        for (const request of [plain, configured]) {
          const run = await platformRun(session, request)
          expectKept(session, run)
          expectNone(failuresOf(run))
        }
      },
    },
  ],
}

/** @throws NotRun where the route refuses what breaks the interface without it too: that is seen elsewhere */
function expectKept({ runs, platformRuns }: Session, { exchange, reply }: Run): void {
  const broken = exchange.headers['staging-answer'] === 'platform' ? reply.broken : undefined
  const direct = runs.filter(run => !platformRuns.includes(run))
  const isUsual = direct.some(run => Object.values(violationsOf(run)).some(problems => problems.length > 0))
  if (Array.isArray(broken) && isUsual)
    throw new NotRun(`the route refuses replies that break the interface: ${broken.join('; ')}`)
}

/** Every form of a valid request. */
function forms(session: Session): Check[] {
  const upper = () => randomUUID().toUpperCase()
  const ids: [name: string, title: string, id: () => string][] = [
    ['test_id', 'A task_id of the shape test-<number> is taken', newTestId],
    ['short_test_id', 'test-1 is taken, as in the local test calls', () => 'test-1'],
    ['uuid', 'A UUID (version 4) is taken', randomUUID],
    ['uuid_v7', 'A UUID of version 7 is taken', uuidV7],
    ['uuid_upper_case', 'A UUID in upper case is taken', upper],
  ]
  const configs: [name: string, title: string, config: RunRequest['config']][] = [
    ['empty_config', 'An empty config is taken', {}],
    ['system_prompt', 'config.system_prompt is taken', { system_prompt: OWN_PROMPT }],
    ['max_tokens', 'config.max_tokens is taken', { max_tokens: 4096 }],
    [
      'config',
      'system_prompt and max_tokens together are taken',
      { system_prompt: OWN_PROMPT, max_tokens: 4096 },
    ],
  ]
  return [
    {
      id: 'run.works',
      title: 'A task without config of its own ends in success',
      mandatory: true,
      why: words.runOk,
      how: session.curlFirst(),
      look: async () => {
        try {
          await session.reference()
        } catch (error) {
          // None succeeded: what came of the first says why.
          expectNone(failuresOf((await session.taskRun(0)).run))
          throw error
        }
      },
    },
    ...ids.map(([name, title, id]) => accepted(session, name, title, words.runRequest, undefined, id)),
    ...configs.map(([name, title, config]) => accepted(session, name, title, words.config, config)),
    {
      id: 'run.unknown_members',
      title: 'Members that the interface does not name are ignored',
      mandatory: false,
      why: words.unknown,
      how: session.curlRun({ ...unknownMembers, task_id: 'test-1', input: session.tasks[0]!.input }),
      look: async () => {
        const { task } = await session.reference()
        const request = { ...unknownMembers, task_id: await session.newId(), input: task.input }
        // The interface leaves open whether it is valid: it is none of the runs that others look at.
        const headers = { 'content-type': 'application/json' }
        const exchange = await session.calls.send('POST', '/run', { headers, body: JSON.stringify(request) })
        expectNone(failuresOf({ exchange, reply: objectIn(exchange) ?? {} }))
      },
    },
  ]
}

const unknownMembers = { priority: 3, trace: { id: 'a1' }, config: { max_tokens: 4096, temperature: 0 } }

function accepted(
  session: Session,
  name: string,
  title: string,
  why: string,
  config: RunRequest['config'],
  id?: () => string,
): Check {
  return {
    id: `run.${name}`,
    title,
    mandatory: true,
    why,
    how: session.curlFirst(config, id?.()),
    look: async () => {
      const { task } = await session.reference()
      const { run } = await session.again(config && { ...task.config, ...config }, id?.())
      expectNone(failuresOf(run), session.curlRun(run.request))
    },
  }
}

/** What every reply to a valid task must hold. */
function replies(session: Session): Check[] {
  const every = (name: string, title: string, why: string, part: keyof Violations): Check => ({
    id: `run.${name}`,
    title,
    mandatory: true,
    why,
    how: session.curlFirst(),
    look: () => {
      const answered = session.runs.filter(({ exchange, alone }) => exchange.failure === null && alone)
      if (answered.length === 0) throw new NotRun('no run was answered')
      const broken = answered.find(run => violationsOf(run)[part].length > 0)
      if (broken) expectNone(violationsOf(broken)[part], session.curlRun(broken.request))
    },
  })
  return [
    every('http_200', 'Every valid task is answered with HTTP 200', words.failure, 'http'),
    every('shape', 'Every reply has the shape of a run response', words.runResponse, 'shape'),
    unambiguous(session),
    every('task_id', "Every reply echoes its request's task_id, letter by letter", words.echo, 'taskId'),
  ]
}

/** Of members that come twice, one reader takes the first and another the last. */
function unambiguous(session: Session): Check {
  return {
    id: 'run.unique_members',
    title: 'No reply has a member twice',
    mandatory: false,
    why: words.runResponse,
    how: session.curlFirst(),
    look: () => {
      for (const { request, exchange } of session.runs) {
        if (objectIn(exchange) === undefined || exchange.body.length > READ_TWICE) continue
        // JSON is YAML, whose reader tells of such members.
        const { errors } = parseDocument(exchange.body, { prettyErrors: false })
        const twice = errors.find(({ code }) => code === 'DUPLICATE_KEY')
        if (twice === undefined) continue
        const shown = JSON.stringify(
          exchange.body.slice(0, twice.pos[1] + SHOWN_LENGTH).slice(-2 * SHOWN_LENGTH),
        )
        throw new Failed(`expected each member once, got ${shown}`, session.curlRun(request))
      }
    },
  }
}

/** Of the present moment, as RFC 9562 has it. */
function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
