import { randomUUID } from 'node:crypto'
import { parseDocument } from 'yaml'
import { parseJsonBytes } from '../../agents/exchange.ts'
import { runViolations } from '../../agents/violations.ts'
import { inSeconds } from '../../figures.ts'
import { isObject } from '../../json.ts'
import { fakeKey } from '../../secrets.ts'
import { advice, type Check, type CheckGroup, check } from '../check.ts'
import { cap } from '../parts/cap.ts'
import { clock } from '../parts/clock.ts'
import { overlap } from '../parts/concurrent-runs.ts'
import { connections } from '../parts/connections.ts'
import { watchHealth } from '../parts/health-watch.ts'
import { isolation } from '../parts/isolation.ts'
import { overrides } from '../parts/overrides.ts'
import { noTools, repeatedText } from '../parts/repeated-text.ts'
import { spellings } from '../parts/spellings.ts'
import { stagingRoute } from '../parts/staging-route.ts'
import { expectHttp200 } from '../parts/still-healthy.ts'
import { IMPOSSIBLE, subject } from '../parts/subject.ts'
import { expectAgain, varies } from '../parts/variation.ts'
import { wholeInput } from '../parts/whole-input.ts'
import {
  type CheckedRun,
  failuresOf,
  isBusy,
  replyObject,
  type Violations,
  violationsOf,
} from '../session/replies.ts'
import { newTestId, type Session } from '../session/session.ts'
import { expectNone, Failed, NotRun } from '../verdicts.ts'

/** Longest reply searched for duplicate members, in characters. */
const READ_TWICE = 10_000
const SHOWN = 40
const OWN_PROMPT = 'You are a careful assistant. Use your tools where they help, and answer the task.'

export const run: CheckGroup = {
  id: 'run',
  title: 'A task from the staging route works',
  load: () => ({ alone: 21, beside: 67 }),
  // Nothing may affect what the tasks of the file show.
  before: async session => {
    if (session.options.only?.includes('limits') ?? true) await session.once(watchHealth)
    return await session.once(subject)
  },
  checks: session => [
    ...forms(session),
    ...authorized(session),
    ...spellings(session),
    // A run that gets another's answer breaks what compares runs.
    ...isolation(session),
    ...wholeInput(session),
    ...repeatedText(session),
    ...overrides(session),
    noTools(session),
    ...overlap(session),
    ...connections(session),
    ...replies(session),
    timeouts(session),
    stream(session),
    // What is wrong with these may be the fault of any before them.
    ...cap(session),
    clock(session),
    check(
      'run.tool_failure',
      'A task at which tools fail gets a run response with metrics, and does no harm to the next',
      async () => {
        const reference = await session.reference()
        const fail = async () => await session.run({ input: IMPOSSIBLE })
        const run = await fail()
        expectHttp200(run.exchange)
        // Whether it is an error or an answer that says what is wrong, the agent decides.
        const memberOf = (problem: string) => problem.split(':')[0]
        const usual = Object.values(violationsOf(reference.run)).flat().map(memberOf)
        const broken = Object.values(violationsOf(run)).flat()
        expectNone(broken.filter(problem => !usual.includes(memberOf(problem))))
        let tries = 0
        await expectAgain(session, async () => {
          if (tries++ > 0) await fail()
          return []
        })
      },
    ),
    stagingRoute(session),
  ],
}

/** Every form of a valid task. */
function forms(session: Session): Check[] {
  const upper = () => randomUUID().toUpperCase()
  const prompt = { system_prompt: OWN_PROMPT }
  const forms = [
    { name: 'test_id', title: 'A task_id of the shape test-<number> is', id: newTestId },
    { name: 'short_test_id', title: 'test-1, as in the local test calls, is', id: () => 'test-1' },
    // Its number may be read as one; whoever accepts it echoes it.
    {
      name: 'test_id_zeros',
      title: 'test-007 is',
      id: () => newTestId().replace('-', '-00'),
      advisory: true,
    },
    { name: 'uuid', title: 'A UUID (version 4) is', id: randomUUID },
    { name: 'uuid_v7', title: 'A UUID (version 7) is', id: uuidV7 },
    { name: 'uuid_upper_case', title: 'An upper-case UUID is', id: upper },
    { name: 'system_prompt', title: 'config.system_prompt is', config: prompt },
    { name: 'max_tokens', title: 'config.max_tokens is', config: { max_tokens: 4096 } },
    { name: 'config', title: 'Both together are', config: { ...prompt, max_tokens: 4096 } },
  ]
  return [
    check('run.works', 'A task succeeds without any override', async () => {
      try {
        await varies(session)
      } catch (error) {
        // None succeeded; the first one's outcome says why.
        const { run } = await session.taskRun(0)
        session.seen = [run]
        expectNone(failuresOf(run))
        throw error
      }
    }),
    ...forms.map(({ name, title, config, id, advisory }) => {
      const look = async () => {
        const { task } = await session.reference()
        const { run } = await session.again(config && { ...task.config, ...config }, id?.())
        expectNone(failuresOf(run))
      }
      return check(`run.${name}`, `${title} accepted`, look, advisory)
    }),
  ]
}

/** Runs whose Authorization differs from that of others. Other checks do not see them. */
function authorized(session: Session): Check[] {
  const { token } = session.options
  const other = { authorization: `Bearer ${fakeKey()}` }
  const sent = async (headers: Readonly<Record<string, string>>) => {
    session.how = session.curlFirst({ headers })
    const exchange = await session.calls.post(await session.newRequest(), { headers })
    return { exchange, reply: replyObject(exchange) ?? {} }
  }
  const refused = advice('run.other_token', 'A run with a wrong token is refused', async () => {
    const { exchange, reply } = await sent(other)
    const { failure, status } = exchange
    const got = failure?.message ?? (reply.status === 'success' ? '"success"' : `HTTP ${status}`)
    const isRefusal = failure === null && Number(status) < 500 && reply.status !== 'success'
    if (!isRefusal) throw new Failed(`expected a refusal such as HTTP 401, got ${got}`)
  })
  return [
    check(
      'run.authorization',
      'A run with Authorization: Bearer <token> succeeds: the orchestrator always sends one',
      // With a token, every other run sends one anyway.
      async () => expectNone(failuresOf(await sent(token === undefined ? other : {}))),
    ),
    ...(token === undefined ? [] : [refused]),
  ]
}

/** What every reply to a valid task must hold. */
function replies(session: Session): Check[] {
  const every = (name: string, title: string, part: keyof Violations): Check =>
    check(`run.${name}`, title, async () => {
      // One that was refused for others was sent again.
      const answered = session.runs.filter(
        ({ exchange, alone }) => exchange.failure === null && (alone || !isBusy(exchange)),
      )
      if (answered.length === 0) throw new NotRun('no run got a reply')
      const isBroken = (run: CheckedRun) => violationsOf(run)[part].length > 0
      const broken = answered.filter(isBroken).toSorted((a, b) => Number(b.alone) - Number(a.alone))
      for (const run of broken) {
        // What is broken only beside other runs is a matter of run.concurrent.
        const alone = await session.againAlone(run)
        if (!isBroken(alone)) continue
        session.seen = [alone]
        expectNone(violationsOf(alone)[part])
      }
    })
  return [
    every('http_200', 'Every valid task gets HTTP 200', 'http'),
    check('run.steady', 'No task gets HTTP 5xx, and HTTP 200 when it is sent again', async () => {
      const isBroken = ({ exchange, alone }: CheckedRun) =>
        Number(exchange.status) >= 500 && (alone || !isBusy(exchange))
      const broken = session.runs.find(isBroken)
      if (broken === undefined) return
      for (let tries = 0; tries < 2; tries += 1) {
        const again = await session.repeat(broken)
        if (again.exchange.status === 200)
          session.failIn(
            broken,
            `expected HTTP 200 each time, got ${broken.exchange.status}, and 200 the next time`,
          )
      }
    }),
    every('shape', 'Every reply has the shape of a run response', 'shape'),
    ...successes(session),
    unambiguous(session),
    check(
      'run.decoded',
      'No reply has U+FFFD, which stands for bytes that were not read as a letter',
      async () => {
        const isBroken = ({ request, reply }: CheckedRun) =>
          // A cap may cut a letter.
          request.config?.max_tokens === undefined &&
          String(reply.output).includes('\ufffd') &&
          !request.input.includes('\ufffd')
        const broken = session.runs.find(isBroken)
        if (broken === undefined) return
        const again = await session.repeat(broken)
        if (isBroken(again))
          session.failIn(again, `expected no U+FFFD, got ${JSON.stringify(again.reply.output).slice(0, 200)}`)
      },
    ),
    every('task_id', "Every reply echoes its request's task_id exactly", 'taskId'),
    check(
      'run.only_own',
      'No reply has a word, the input or the task_id that only another run was given',
      () => {
        const ofFile = drawnIn(JSON.stringify(session.tasks))
        const others = new Set(session.runs.flatMap(({ request }) => drawnIn(JSON.stringify(request))))
        for (const run of session.runs) {
          const own = [...ofFile, ...drawnIn(JSON.stringify(run.request))]
          const found = drawnIn(run.exchange.body).find(word => others.has(word) && !own.includes(word))
          if (found !== undefined) session.failIn(run, `expected nothing of another run, got its ${found}`)
        }
        const inputs = session.runs.map(({ request }) => request.input.trim())
        const known = session.tasks.map(({ input }) => input.trim())
        for (const input of new Set(
          inputs.filter(one => one.length >= LEAST_INPUT && !known.includes(one)),
        )) {
          const run = session.runs.find(({ request, reply }) => {
            const isSaid = [reply.output, reply.error].some(text => String(text).includes(input))
            return isSaid && !JSON.stringify(request).includes(JSON.stringify(input).slice(1, -1))
          })
          if (run) session.failIn(run, `expected nothing of another run, got its input: ${input}`)
        }
      },
    ),
  ]
}

/** Nobody says so many characters of a task of these checks by chance; one of the file may be an example of the agent's. */
const LEAST_INPUT = 18

/** Words such as these checks draw: no agent has one in its examples or in its data. */
function drawnIn(text: string): string[] {
  const words = text.match(/[\w-]{10,}/g) ?? []
  return words.filter(word => /[a-z]/i.test(word) && word.replace(/\D/g, '').length >= 6)
}

/** How a result does not begin. */
const FAILURE = /^\W*(?:error|exception|traceback|failed|failure)\b/i

/** A failure must not be told as a success. */
function successes(session: Session): Check[] {
  const isBlank = ({ request, reply }: CheckedRun) =>
    // All that fits under a cap may be thoughts.
    reply.status === 'success' && reply.output === '' && request.config?.max_tokens === undefined
  return [
    check('run.success_has_result', 'A success without a cap has some output', async () => {
      for (const run of session.runs.filter(isBlank)) {
        const again = await session.repeat(run)
        if (!isBlank(again)) continue
        session.failIn(again, 'expected an output, or the status "error", got "success" and an empty output')
      }
    }),
    advice('run.success_is_none', 'A success does not begin with "Error"', () => {
      const told = session.runs.find(
        ({ reply }) => reply.status === 'success' && FAILURE.test(String(reply.output)),
      )
      if (told === undefined) return
      session.failIn(
        told,
        `expected the status "error", got "success" and ${JSON.stringify(told.reply.output).slice(0, 200)}`,
      )
    }),
  ]
}

/** Nobody gives a task less. */
const LEAST_TIME_MS = 3_000

/** A run's time is over only if it took longer than others may. */
function timeouts(session: Session): Check {
  return check('run.timeout', 'No run says "timeout" before its time is over', async () => {
    // On a busy machine the agent's own limits are over sooner, and other runs take longer.
    const runs = session.runs.filter(({ busy }) => busy === undefined)
    const done = runs.filter(({ reply }) => reply.status === 'success')
    const leastMs = Math.max(LEAST_TIME_MS, ...done.map(({ exchange }) => exchange.wallMs))
    const isEarly = ({ exchange, reply }: CheckedRun) =>
      reply.status === 'timeout' && exchange.wallMs < leastMs
    const first = runs.find(isEarly)
    if (first === undefined) return
    // That of a model's provider may be over sooner, now and then.
    const early = await session.repeat(first)
    if (!isEarly(early)) return
    session.failIn(
      early,
      `expected "error", got "timeout" after ${inSeconds(early.exchange.wallMs)}: a run may take ${inSeconds(leastMs)} at least`,
    )
  })
}

/** With duplicate members, some parsers take the first and others the last. */
function unambiguous(session: Session): Check {
  return advice('run.unique_members', 'No reply has duplicate members', () => {
    for (const run of session.runs) {
      const { exchange } = run
      if (replyObject(exchange) === undefined || exchange.body.length > READ_TWICE) continue
      // JSON is YAML, whose parser reports duplicates.
      const { errors } = parseDocument(exchange.body, { prettyErrors: false })
      const twice = errors.find(({ code }) => code === 'DUPLICATE_KEY')
      if (twice === undefined) continue
      const shown = JSON.stringify(exchange.body.slice(0, twice.pos[1] + SHOWN).slice(-2 * SHOWN))
      session.failIn(run, `expected each member once, got ${shown}`)
    }
  })
}

/** The contract names no events; who asks for them needs the reply all the same. */
function stream(session: Session): Check {
  const title = 'Events, if the agent sends a caller who accepts them any, end with the run response'
  return advice('run.stream', title, async () => {
    const { input, config } = session.tasks[0]!
    const headers = { accept: 'text/event-stream' }
    const task_id = await session.newId()
    session.how = session.curlFirst({ headers })
    const exchange = await session.calls.post({ task_id, input, config }, { headers })
    if (!/^text\/event-stream\b/i.test(exchange.headers['content-type'] ?? '')) return
    const lines = exchange.body.trimEnd().split(/\r?\n/)
    const last = lines.slice(lines.lastIndexOf('') + 1).filter(line => line.startsWith('data:'))
    const body = last.map(line => line.slice('data:'.length).trim()).join('\n')
    const data = parseJsonBytes(Buffer.from(body))
    // It may come with facts about it.
    const json = isObject(data) && isObject(data.response) ? data.response : data
    const asReply = { ...exchange, body, json, headers: { 'content-type': 'application/json' } }
    expectNone(runViolations(asReply, { taskId: task_id }))
  })
}

/** A version 7 UUID for the current time (RFC 9562). */
function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
