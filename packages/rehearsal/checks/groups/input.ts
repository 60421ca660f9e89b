import type { Exchange } from '../../agents/exchange.ts'
import { runViolations } from '../../agents/violations.ts'
import type { JsonObject } from '../../json.ts'
import { type Check, type CheckGroup, check } from '../check.ts'
import { type ErroneousRequest, erroneousRequests } from '../parts/erroneous-requests.ts'
import { isLogSearched } from '../parts/leaks.ts'
import { plantEverywhere } from '../parts/planted-secrets.ts'
import { expectHttp200, expectStillHealthy } from '../parts/still-healthy.ts'
import { inTurn, toolless } from '../parts/subject.ts'
import { expectAgain } from '../parts/variation.ts'
import { failuresOf, replyObject } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun } from '../verdicts.ts'

export const input: CheckGroup = {
  id: 'input',
  title: 'Erroneous input is handled',
  load: () => ({ alone: 1, beside: 28 }),
  // Lines of the log may follow seconds later: what is checked in between need not wait for them.
  before: async session => isLogSearched(session) && (await session.once(plantEverywhere)),
  checks: session => {
    const requests = erroneousRequests(session.tasks[0]!.input)
    const answers = new Map<ErroneousRequest, Answered>()
    const answerTo = async (request: ErroneousRequest) => {
      const { method = 'POST', path = '/run', type = 'application/json', body, mayRun } = request
      const headers: Record<string, string> = type && body ? { 'content-type': type } : {}
      const timeoutMs = mayRun ? undefined : session.limits.refusalMs
      const exchange = await session.patiently(() =>
        session.calls.send(method, path, { headers, body, timeoutMs }),
      )
      answers.set(request, { request, exchange, reply: replyObject(exchange) ?? {} })
      return exchange
    }
    return [
      ...requests.map(request => ({ ...handled(session, request, answerTo), besideRuns: 1 })),
      ...together(session, answers),
      ...afterwards(session),
    ]
  },
}

interface Answered {
  readonly request: ErroneousRequest
  readonly exchange: Exchange
  /** Its JSON object; empty if there is none. */
  readonly reply: JsonObject
}

function handled(
  session: Session,
  request: ErroneousRequest,
  answerTo: (request: ErroneousRequest) => Promise<Exchange>,
): Check {
  const { name, title, mayRun, advisory } = request
  const expected = mayRun ? 'a run response or HTTP 4xx' : 'a run response with status "error", or HTTP 4xx'
  const look = async () => {
    session.how = command(session, request)
    const exchange = await answerTo(request)
    const problem = mishandled(request, exchange)
    if (problem !== undefined) throw new Failed(`expected ${expected}, ${problem}`)
    if (exchange.status === 401) throw new NotRun('HTTP 401 says nothing about the request')
  }
  return check(`input.${name}`, `${title}: ${expected}`, look, advisory)
}

/** What is wrong with the reply to a request. Other checks examine the members of an error reply. */
function mishandled({ mayRun, method }: ErroneousRequest, exchange: Exchange): string | undefined {
  const { status, failure, body } = exchange
  if (failure !== null) return `but ${failure.message}`
  if (status !== null && status >= 400 && status < 500) return undefined
  // Not Implemented: what HTTP has for a method that a server does not know.
  if (status === 501 && method !== undefined) return undefined
  if (status === null || status < 200 || status >= 300) return `got HTTP ${status}`
  const reply = replyObject(exchange)
  if (reply === undefined) return `got HTTP ${status} with ${JSON.stringify(body.slice(0, 100))}`
  return reply.status === 'success' && !mayRun ? 'got "success"' : undefined
}

/** What holds across all replies. */
function together(session: Session, answers: ReadonlyMap<ErroneousRequest, Answered>): Check[] {
  const every = (
    name: string,
    title: string,
    problemOf: (one: Answered) => string | false | undefined,
    advisory = false,
  ): Check => {
    const look = () => {
      const answered = [...answers.values()].filter(({ exchange }) => exchange.failure === null)
      if (answered.length === 0) throw new NotRun('no request got a reply')
      const wrong = answered
        .map(one => ({ ...one, problem: problemOf(one) }))
        .filter(({ problem }) => problem)
      session.how = wrong[0] && command(session, wrong[0].request)
      expectNone(wrong.map(({ request, problem }) => `${request.title}: ${problem}`))
    }
    return check(`input.${name}`, title, look, advisory)
  }
  return [
    every(
      'error_echo',
      'Error replies echo a valid task_id',
      one =>
        isError(one) &&
        // Only requests that parse and whose task_id is fine.
        ![undefined, 'task_id'].includes(one.request.member) &&
        one.reply.task_id !== 'test-1' &&
        `expected the task_id "test-1", got ${JSON.stringify(one.reply.task_id) ?? 'none'}`,
    ),
    every(
      'error_shape',
      'Error replies have the shape of a run response, with a description in `error`',
      one => isError(one) && runViolations(one.exchange, { isValid: false }).join('; '),
    ),
    every(
      'error_example',
      'Error replies match the example: empty `output`, empty `metrics`',
      one => {
        const { output, metrics } = one.reply
        const isExample = output === '' && JSON.stringify(metrics) === '{}'
        const got = JSON.stringify({ output, metrics }).slice(0, 120)
        return isError(one) && !isExample && `expected "output":"" and "metrics":{}, got ${got}`
      },
      true,
    ),
    every(
      'max_tokens_below_one',
      'A max_tokens below 1 is no success: it is not taken as unlimited',
      ({ request: { name }, reply }) =>
        (name === 'max_tokens_zero' || name === 'max_tokens_negative') &&
        reply.status === 'success' &&
        'got "success"',
      true,
    ),
    every('no_internals', 'No reply shows a stack trace or a file path', ({ exchange }) => {
      const found = internalsIn(exchange.body)
      return found && `got ${JSON.stringify(found)}`
    }),
    every(
      'no_pages',
      '/run never refuses with an HTML page',
      ({ request: { path }, exchange: { status, headers, body } }) =>
        path === undefined &&
        (/^text\/html/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(body)) &&
        `a page with HTTP ${status}`,
      true,
    ),
    every(
      'invalid_is_200',
      'JSON objects that are not valid requests get HTTP 200 and status "error"',
      ({ request: { member, mayRun }, exchange: { status } }) =>
        member !== undefined && !mayRun && status !== 200 && `got HTTP ${status}`,
      true,
    ),
  ]
}

/** Whether it is the reply of a failed run: its status means neither success nor timeout. */
function isError({ exchange, reply }: Answered): boolean {
  const isOther = reply.status === 'success' || reply.status === 'timeout'
  return exchange.status === 200 && replyObject(exchange) !== undefined && !isOther
}

/** What tokenizers, databases and filters may take for their own. */
const OF_OTHERS = `<|endoftext|> <|im_start|> <script>alert(1)</script> ' OR 1=1; DROP TABLE runs; -- ../../etc/passwd`

/** Valid requests that are hard to serve, and the agent's state afterwards. */
function afterwards(session: Session): Check[] {
  const { input, config } = session.tasks[0]!
  const hard = [
    { input, config: { ...config, max_tokens: 1 } },
    { input: 'Hi', config },
    { input: '12 + 34 = 🤔', config },
    { input: `What does this mean? ${OF_OTHERS}`, config },
  ]
  return [
    check(
      'input.failures_are_200',
      'Valid tasks that the agent can hardly finish (one token, no tools, one word, no letter, words of tokenizers and of attacks) get HTTP 200',
      async () => {
        expectHttp200((await session.once(toolless)).run.exchange)
        for (const task of hard) expectHttp200((await session.patiently(() => session.run(task))).exchange)
      },
    ),
    check('input.healthy', 'After all of this, /health answers as before', async () => {
      session.how = `curl -sS -i ${session.url}/health`
      await expectStillHealthy(session)
    }),
    check('input.alive', 'After all of this, the agent does a task as well as before', async () => {
      const { run, problems } = await session.once(inTurn)
      if (failuresOf(run).length > 0 || problems.length > 0) await expectAgain(session)
    }),
  ]
}

const INTERNALS = [
  /^[ \t]{1,40}at .{1,200}[:(].{1,200}:\d+:\d+\)?$/m,
  /Traceback \(most recent call last\)/,
  /File "[^"]+", line \d+/,
  /goroutine \d+ \[/,
  /\bat [\w.$]+\([\w]+\.(?:java|kt|scala):\d+\)/,
  /(?:\/[\w.@-]{1,80}){2,20}\.(?:js|mjs|cjs|ts|py|go|rb|rs|java|php|cs)\b/,
  /\bnode:internal\//,
  /\b[A-Z]:\\(?:[\w .-]+\\)+[\w.-]+/,
]

function internalsIn(body: string): string | undefined {
  // A trace inside JSON has its line breaks escaped.
  const text = body.replaceAll('\\n', '\n').slice(0, 100_000)
  const found = INTERNALS.map(shape => shape.exec(text)?.[0]).find(one => one !== undefined)
  return found?.trim().slice(0, 200)
}

function command(session: Session, { method, path = '/run', type, body }: ErroneousRequest): string {
  const headers = type === undefined ? undefined : { 'Content-Type': type }
  return session.curl({ path, method, headers, body })
}
