import type { Exchange } from '../../agents/exchange.ts'
import { runViolations } from '../../agents/violations.ts'
import type { JsonObject } from '../../json.ts'
import type { Check, CheckGroup } from '../check.ts'
import { type ErroneousRequest, erroneousRequests } from '../parts/erroneous-requests.ts'
import { expectStillHealthy } from '../parts/still-healthy.ts'
import { words } from '../parts/words.ts'
import { Jobs } from '../session/jobs.ts'
import { failuresOf, objectIn } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun } from '../verdicts.ts'

export const input: CheckGroup = {
  id: 'input',
  title: 'Erroneous input is handled',
  checks: session => {
    const requests = erroneousRequests(session.tasks[0]!.input)
    const answers: Answered[] = []
    const jobs = new Jobs(requests, async request => {
      const exchange = await send(session, request)
      answers.push({ request, exchange, reply: objectIn(exchange) ?? {} })
      return exchange
    })
    return [
      ...requests.map(request => handled(session, jobs, request)),
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

async function send({ calls, patiently }: Session, request: ErroneousRequest): Promise<Exchange> {
  const { method = 'POST', path = '/run', type = 'application/json', body, mayRun } = request
  const headers: Record<string, string> = type === '' || body === undefined ? {} : { 'content-type': type }
  const timeoutMs = mayRun ? undefined : calls.limits.refusalMs
  return await patiently(() => calls.send(method, path, { headers, body, timeoutMs }))
}

function handled(session: Session, jobs: Jobs<ErroneousRequest, Exchange>, request: ErroneousRequest): Check {
  const { name, title, mayRun, advisory } = request
  const wanted = mayRun ? 'a run response or HTTP 4xx' : 'a run response with status "error", or HTTP 4xx'
  return {
    id: `input.${name}`,
    title: `${title}: ${wanted}`,
    advisory,
    why: words.errors,
    how: command(session, request),
    look: async () => {
      jobs.goAhead(session.atOnce)
      const exchange = await jobs.get(request)
      const problem = mishandled(request, exchange)
      if (problem === undefined && exchange.status !== 401) return
      if (problem === undefined) throw new NotRun('HTTP 401 says nothing about the request')
      if (mayRun && (await isUsual(session, exchange)))
        throw new NotRun('the agent treats it as a valid task, and valid tasks fare no better')
      throw new Failed(`expected ${wanted}, ${problem}`)
    },
  }
}

/** Whether a valid task fails for the same reason; then the error in this request is not the cause. */
async function isUsual(session: Session, { failure, status }: Exchange): Promise<boolean> {
  const { exchange } = (await session.taskRun(0)).run
  if (objectIn(exchange) !== undefined) return false
  return exchange.status === status && exchange.failure?.kind === failure?.kind
}

/** What is wrong with the reply to a request. Other checks examine the members of an error reply. */
function mishandled({ mayRun, method }: ErroneousRequest, exchange: Exchange): string | undefined {
  const { status, failure, body } = exchange
  if (failure !== null) return `but ${failure.message}`
  if (status !== null && status >= 400 && status < 500) return undefined
  // Not Implemented: what HTTP has for a method that a server does not know.
  if (status === 501 && method !== undefined) return undefined
  if (status === null || status < 200 || status >= 300) return `got HTTP ${status}`
  const reply = objectIn(exchange)
  if (reply === undefined) return `got HTTP ${status} with ${JSON.stringify(body.slice(0, 100))}`
  return reply.status === 'success' && !mayRun ? 'got "success"' : undefined
}

/** What holds across all replies. */
function together(session: Session, all: readonly Answered[]): Check[] {
  /** @throws NotRun if there is none */
  const answered = () => {
    const whole = all.filter(({ exchange }) => exchange.failure === null)
    if (whole.length === 0) throw new NotRun('no request got a reply')
    return whole
  }
  /** Replies of failed runs: those whose status means neither success nor timeout. */
  const errors = async (): Promise<Answered[]> => {
    const whole = answered()
    const { reply: usual } = (await session.taskRun(0)).run
    // Whatever status this agent gives a valid task, that status is not an error.
    const others = ['success', 'timeout', ...(usual.status === 'error' ? [] : [usual.status])]
    const isObject = ({ exchange }: Answered) => objectIn(exchange) !== undefined
    return whole.filter(
      one => isObject(one) && one.exchange.status === 200 && !others.includes(one.reply.status),
    )
  }
  const check = (
    name: string,
    title: string,
    why: string,
    of: () => readonly Answered[] | Promise<readonly Answered[]>,
    problemOf: (one: Answered) => string | false | undefined,
    advisory = false,
  ): Check => ({
    id: `input.${name}`,
    title,
    advisory,
    why,
    how: session.curlRun({ task_id: 'test-1' }),
    look: async () => {
      const wrong = (await of())
        .map(one => [one.request, problemOf(one)] as const)
        .filter(([, problem]) => problem)
      const problems = wrong.map(([request, problem]) => `${request.title}: ${problem}`)
      expectNone(problems, wrong[0] && command(session, wrong[0][0]))
    },
  })
  const examples = async () => {
    const found = await errors()
    if (found.length === 0) throw new NotRun('no request got a run response with status "error"')
    return found
  }
  return [
    check(
      'error_shape',
      'Error replies have the shape of a run response, with a description in `error`',
      words.errorShape,
      errors,
      ({ exchange }) => runViolations(exchange, { isValid: false }).join('; '),
    ),
    check(
      'error_echo',
      'Error replies echo a valid task_id',
      words.echo,
      errors,
      ({ request, reply }) =>
        // Only requests that parse and whose task_id is fine.
        ![undefined, 'task_id'].includes(request.member) &&
        reply.task_id !== 'test-1' &&
        `expected the task_id "test-1", got ${JSON.stringify(reply.task_id) ?? 'none'}`,
    ),
    check(
      'error_example',
      'Error replies match the example: empty `output`, empty `metrics`',
      words.errorShape,
      examples,
      ({ reply: { output, metrics } }) =>
        (output !== '' || JSON.stringify(metrics) !== '{}') &&
        `expected "output":"" and "metrics":{}, got ${JSON.stringify({ output, metrics }).slice(0, 120)}`,
      true,
    ),
    check(
      'no_internals',
      'No reply shows a stack trace or a file path',
      words.errors,
      answered,
      ({ exchange }) => {
        const found = internalsIn(exchange.body)
        return found && `got ${JSON.stringify(found)}`
      },
    ),
    check(
      'no_pages',
      '/run never refuses with an HTML page',
      words.refusalBody,
      answered,
      ({ request: { path }, exchange: { status, headers, body } }) =>
        path === undefined && isPage(headers['content-type'], body) && `a page with HTTP ${status}`,
      true,
    ),
    check(
      'invalid_is_200',
      'JSON objects that are not valid requests get HTTP 200 and status "error"',
      words.errors,
      answered,
      ({ request: { member, mayRun }, exchange: { status } }) =>
        member !== undefined && !mayRun && status !== 200 && `got HTTP ${status}`,
      true,
    ),
  ]
}

/** Valid requests that are hard to serve, and the agent's state afterwards. */
function afterwards(session: Session): Check[] {
  const { input, config } = session.tasks[0]!
  const hard = [
    { input, config: { ...config, max_tokens: 1 } },
    { input, config: { ...config, enabled_tools: [] } },
    { input: 'Hi', config },
  ]
  return [
    {
      id: 'input.failures_are_200',
      title: 'Valid tasks that the agent can hardly finish (one token, no tools, one word) get HTTP 200',
      why: words.failure,
      how: hard.map(task => session.curlRun({ task_id: 'test-1', ...task })).join('\n'),
      look: async () => {
        for (const task of hard) {
          const { exchange, request } = await session.run({ task_id: await session.newId(), ...task })
          if (exchange.failure !== null) throw new Failed(`expected a reply, but ${exchange.failure.message}`)
          if (exchange.status === 200) continue
          throw new Failed(`expected HTTP 200, got ${exchange.status}`, session.curlRun(request))
        }
      },
    },
    {
      id: 'input.healthy',
      title: 'After all of this, /health answers as before',
      why: words.healthTimeout,
      how: `curl -sS -i ${session.url}/health`,
      look: async () => await expectStillHealthy(session),
    },
    {
      id: 'input.alive',
      title: 'After all of this, the agent does a task as well as before',
      why: words.errors,
      look: async () => {
        const again = await session.again()
        expectNone(failuresOf(again.run))
        expectNone(await session.lapses(again))
      },
    },
  ]
}

function isPage(type: string | undefined, body: string): boolean {
  return /^text\/html/i.test(type ?? '') || /^\s*<(!doctype|html)/i.test(body)
}

const INTERNALS = [
  /^\s+at .+[:(].+:\d+:\d+\)?$/m,
  /Traceback \(most recent call last\)/,
  /File "[^"]+", line \d+/,
  /goroutine \d+ \[/,
  /\bat [\w.$]+\([\w]+\.(?:java|kt|scala):\d+\)/,
  /(?:\/[\w.@-]+){2,}\.(?:js|mjs|cjs|ts|py|go|rb|rs|java|php|cs)\b/,
  /\bnode:internal\//,
  /\b[A-Z]:\\(?:[\w .-]+\\)+[\w.-]+/,
]

function internalsIn(body: string): string | undefined {
  // A trace inside JSON has its line breaks escaped.
  const text = body.replaceAll('\\n', '\n').slice(0, 100_000)
  const found = INTERNALS.map(shape => shape.exec(text)?.[0]).find(one => one !== undefined)
  return found?.trim().slice(0, 200)
}

function command(session: Session, request: ErroneousRequest): string {
  const { method, path = '/run', type, body, bodyFrom } = request
  const headers = type === undefined ? undefined : { 'Content-Type': type }
  const text = bodyFrom === undefined && body !== undefined ? Buffer.from(body).toString() : undefined
  return session.curl({ path, method, headers, body: text, bodyFrom })
}
