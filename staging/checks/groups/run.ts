import { randomUUID } from 'node:crypto'
import { parseDocument } from 'yaml'
import type { RunRequest } from '../../../src/wire/contract.ts'
import { curl } from '../../curl.ts'
import { fakeKey } from '../../secrets.ts'
import type { Check, CheckGroup } from '../check.ts'
import { connections } from '../parts/connections.ts'
import { isolation } from '../parts/isolation.ts'
import { overrides } from '../parts/overrides.ts'
import { repeatedText, withoutTools } from '../parts/repeated-text.ts'
import { words } from '../parts/words.ts'
import { Jobs } from '../session/jobs.ts'
import { curlPlatform, platformRun } from '../session/platform-access.ts'
import { type CheckedRun, failuresOf, objectIn, type Violations, violationsOf } from '../session/replies.ts'
import { newTestId, type Session } from '../session/session.ts'
import { expectNone, Failed, NotRun } from '../verdicts.ts'

/** Longest reply searched for duplicate members, in characters. */
const READ_TWICE = 10_000
const SHOWN = 40
const OWN_PROMPT = 'You are a careful assistant. Use your tools where they help, and answer the task.'

export const run: CheckGroup = {
  id: 'run',
  title: 'A task from the staging route works',
  checks: session => [
    ...forms(session),
    ...authorization(session),
    ...repeatedText(session),
    ...isolation(session),
    ...overrides(session),
    ...connections(session),
    withoutTools(session),
    ...replies(session),
    failingTools(session),
    {
      id: 'run.staging_route',
      title: 'Tasks sent through the staging route succeed: test-<n> without config, a UUID with it',
      why: words.staging,
      how: curlPlatform(session),
      look: async () => {
        const { task } = await session.reference()
        const plain = { task_id: newTestId(), input: task.input, config: task.config }
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

/** @throws NotRun if the route refuses a reply that violates the interface anyway; another check reports that */
function expectKept({ runs, platformRuns }: Session, { exchange, reply }: CheckedRun): void {
  const broken = exchange.headers['staging-answer'] === 'platform' ? reply.broken : undefined
  const direct = runs.filter(run => !platformRuns.includes(run))
  const isUsual = direct.some(run => Object.values(violationsOf(run)).some(problems => problems.length > 0))
  if (Array.isArray(broken) && isUsual)
    throw new NotRun(`the route refuses replies that violate the interface: ${broken.join('; ')}`)
}

/** Every form of a valid request. */
function forms(session: Session): Check[] {
  const upper = () => randomUUID().toUpperCase()
  type Form = { name: string; title: string; config?: RunRequest['config']; id?: () => string }
  const forms: Form[] = [
    { name: 'test_id', title: 'A task_id of the shape test-<number> is accepted', id: newTestId },
    { name: 'short_test_id', title: 'test-1 is accepted, as in the local test calls', id: () => 'test-1' },
    { name: 'uuid', title: 'A UUID (version 4) is accepted', id: randomUUID },
    { name: 'uuid_v7', title: 'A UUID (version 7) is accepted', id: uuidV7 },
    { name: 'uuid_upper_case', title: 'An upper-case UUID is accepted', id: upper },
    { name: 'empty_config', title: 'An empty config is accepted', config: {} },
    {
      name: 'system_prompt',
      title: 'config.system_prompt is accepted',
      config: { system_prompt: OWN_PROMPT },
    },
    { name: 'max_tokens', title: 'config.max_tokens is accepted', config: { max_tokens: 4096 } },
    {
      name: 'config',
      title: 'Both together are accepted',
      config: { system_prompt: OWN_PROMPT, max_tokens: 4096 },
    },
  ]
  const jobs = new Jobs(forms, async ({ config, id }) => {
    const { task } = await session.reference()
    return await session.patiently(() => session.again(config && { ...task.config, ...config }, id?.()))
  })
  return [
    {
      id: 'run.works',
      title: 'A task succeeds without any override',
      why: words.runOk,
      look: async () => {
        try {
          await session.reference()
        } catch (error) {
          // None succeeded; the first one's outcome says why.
          session.seen = (await session.taskRun(0)).run
          expectNone(failuresOf(session.seen))
          throw error
        }
      },
    },
    ...forms.map(form => ({
      id: `run.${form.name}`,
      title: form.title,
      why: form.config ? words.config : words.runRequest,
      how: session.curlFirst(form.config, form.id?.()),
      look: async () => {
        jobs.goAhead(session.atOnce)
        const { run } = await jobs.get(form)
        expectNone(failuresOf(run), session.curlRun(run.request))
      },
    })),
    {
      id: 'run.unknown_members',
      title: 'Members that the interface does not name are ignored',
      advisory: true,
      why: words.unknown,
      how: session.curlRun({ ...unknownMembers, task_id: 'test-1', input: session.tasks[0]!.input }),
      look: async () => {
        const { task } = await session.reference()
        const request = { ...unknownMembers, task_id: await session.newId(), input: task.input }
        // The interface does not say whether it is valid, so other checks do not see this run.
        const exchange = await session.calls.post(request)
        expectNone(failuresOf({ exchange, reply: objectIn(exchange) ?? {} }))
      },
    },
  ]
}

const unknownMembers = { priority: 3, trace: { id: 'a1' }, config: { max_tokens: 4096, temperature: 0 } }

/** No calculator and no clock can do this. */
const IMPOSSIBLE = 'What is 1 / 0? What time is it in Atlantis?'

/** Whether the answer is an error or says what is wrong, the agent decides. */
function failingTools(session: Session): Check {
  return {
    id: 'run.tool_failure',
    title: 'A task at which tools fail gets a run response with metrics, and does no harm to the next',
    why: words.failure,
    how: `${session.curlRun({ task_id: 'test-1', input: IMPOSSIBLE })}\n${session.curlFirst()}`,
    look: async () => {
      const reference = await session.reference()
      const run = await session.run({ task_id: await session.newId(), input: IMPOSSIBLE })
      const { exchange } = run
      const cut = exchange.failure === null ? [] : [`expected a reply, but ${exchange.failure.message}`]
      // Another check reports what is wrong with any reply.
      const usual = Object.values(violationsOf(reference.run)).flat()
      const broken = Object.values(violationsOf(run)).flat()
      expectNone([...cut, ...broken.filter(problem => !usual.includes(problem))])
      const next = await session.again()
      expectNone([...failuresOf(next.run), ...(await session.lapses(next))])
    },
  }
}

/** What the orchestrator sends with every run. */
function authorization(session: Session): Check[] {
  const { token } = session.options
  const send = async (headers: Record<string, string>) => {
    const { task } = await session.reference()
    const request = { task_id: await session.newId(), input: task.input, config: task.config }
    const exchange = await session.calls.post(request, { headers })
    return { exchange, reply: objectIn(exchange) ?? {} }
  }
  const charset = { 'content-type': 'application/json; charset=utf-8' }
  const other = () => ({ authorization: `Bearer ${fakeKey()}` })
  const body = { task_id: 'test-1', input: session.tasks[0]!.input }
  const how = curl({ url: session.url, path: '/run', headers: { Authorization: 'Bearer other-token' }, body })
  return [
    {
      id: 'run.authorization',
      title: 'A run with Authorization: Bearer <token> succeeds: the orchestrator always sends one',
      why: words.authorization,
      how: token === undefined ? how : session.curlFirst(),
      // With a token, every other run sends one anyway.
      look: async () => expectNone(failuresOf(await send(token === undefined ? other() : {}))),
    },
    {
      id: 'run.charset',
      title: 'Content-Type may name the character set, as many clients do',
      advisory: true,
      why: words.authorization,
      how: session.curl({ path: '/run', headers: charset, body }),
      look: async () => expectNone(failuresOf(await send(charset))),
    },
    {
      id: 'run.other_token',
      title: 'A run with a wrong token is refused',
      advisory: true,
      applies: token !== undefined,
      why: words.authorization,
      how,
      look: async () => {
        const { exchange, reply } = await send(other())
        const { failure, status } = exchange
        const received = failure?.message ?? (reply.status === 'success' ? '"success"' : `HTTP ${status}`)
        const isRefusal = failure === null && Number(status) < 500 && reply.status !== 'success'
        if (!isRefusal) throw new Failed(`expected a refusal such as HTTP 401, got ${received}`)
      },
    },
  ]
}

/** What every reply to a valid task must hold. */
function replies(session: Session): Check[] {
  const every = (name: string, title: string, why: string, part: keyof Violations): Check => ({
    id: `run.${name}`,
    title,
    why,
    look: () => {
      const answered = session.runs.filter(({ exchange, alone }) => exchange.failure === null && alone)
      if (answered.length === 0) throw new NotRun('no run got a reply')
      const broken = answered.find(run => violationsOf(run)[part].length > 0)
      if (broken) expectNone(violationsOf(broken)[part], session.curlRun(broken.request))
    },
  })
  return [
    every('http_200', 'Every valid task gets HTTP 200', words.failure, 'http'),
    {
      id: 'run.steady',
      title: 'No task gets HTTP 5xx that succeeds when it is sent again',
      why: words.failure,
      look: async () => {
        const broken = session.runs.find(({ exchange, alone }) => alone && Number(exchange.status) >= 500)
        if (broken === undefined) return
        const again = await session.run({ ...broken.request, task_id: await session.newId() })
        if (again.reply.status === 'success')
          throw new Failed(
            `expected HTTP 200 each time, got ${broken.exchange.status}, and 200 the next time`,
          )
      },
    },
    every('shape', 'Every reply has the shape of a run response', words.runResponse, 'shape'),
    unambiguous(session),
    every('task_id', "Every reply echoes its request's task_id exactly", words.echo, 'taskId'),
  ]
}

/** With duplicate members, some parsers take the first and others the last. */
function unambiguous(session: Session): Check {
  return {
    id: 'run.unique_members',
    title: 'No reply has duplicate members',
    advisory: true,
    why: words.runResponse,
    look: () => {
      for (const { request, exchange } of session.runs) {
        if (objectIn(exchange) === undefined || exchange.body.length > READ_TWICE) continue
        // JSON is YAML, whose parser reports duplicates.
        const { errors } = parseDocument(exchange.body, { prettyErrors: false })
        const twice = errors.find(({ code }) => code === 'DUPLICATE_KEY')
        if (twice === undefined) continue
        const shown = JSON.stringify(exchange.body.slice(0, twice.pos[1] + SHOWN).slice(-2 * SHOWN))
        throw new Failed(`expected each member once, got ${shown}`, session.curlRun(request))
      }
    },
  }
}

/** A version 7 UUID for the current time (RFC 9562). */
function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
