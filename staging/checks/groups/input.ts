import type { Exchange } from '../../agents/exchange.ts'
import { runViolations } from '../../agents/violations.ts'
import { type Check, type CheckGroup, expectNone, Failed, NotRun } from '../check.ts'
import { Jobs } from '../session/jobs.ts'
import { failuresOf, objectIn } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { type ErroneousRequest, erroneousRequests } from './erroneous-requests.ts'
import { words } from './words.ts'

export const input: CheckGroup = {
  id: 'input',
  title: 'Erroneous input is handled',
  checks: session => {
    const requests = erroneousRequests(session.tasks[0]!.input)
    const answers = new Answers(session)
    const jobs = new Jobs(requests, request => answers.send(request))
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
}

/** Sends the erroneous requests, and keeps what came. */
class Answers {
  readonly all: Answered[] = []
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async send(request: ErroneousRequest): Promise<Exchange> {
    const { method = 'POST', path = '/run', type = 'application/json', body, mayRun } = request
    const headers: Record<string, string> = type === '' || body === undefined ? {} : { 'content-type': type }
    const { calls } = this.#session
    const timeoutMs = mayRun ? undefined : calls.limits.refusalMs
    const exchange = await this.#session.patiently(
      () => calls.send(method, path, { headers, body, timeoutMs }),
      came => came,
    )
    this.all.push({ request, exchange })
    return exchange
  }

  /**
   * Replies of any kind.
   *
   * @throws NotRun where there is none
   */
  answered(): Answered[] {
    const answered = this.all.filter(({ exchange }) => exchange.failure === null)
    if (answered.length === 0) throw new NotRun('no request was answered')
    return answered
  }

  /** Replies of runs that neither succeeded nor ran out of time: whatever they call it, they failed. */
  async errors(): Promise<
    { request: ErroneousRequest; exchange: Exchange; reply: Record<string, unknown> }[]
  > {
    const answered = this.answered()
    const { reply: usual } = (await this.#session.taskRun(0)).run
    // What a valid task ends with is no error, whatever it is called.
    const others = ['success', 'timeout', ...(usual.status === 'error' ? [] : [usual.status])]
    return answered.flatMap(({ request, exchange }) => {
      const reply = objectIn(exchange)
      const isError = !others.includes(reply?.status)
      return exchange.status === 200 && reply && isError ? [{ request, exchange, reply }] : []
    })
  }
}

function handled(session: Session, jobs: Jobs<ErroneousRequest, Exchange>, request: ErroneousRequest): Check {
  const { name, title, mayRun } = request
  const wanted = mayRun ? 'a run response or HTTP 4xx' : 'a run response with status "error", or HTTP 4xx'
  return {
    id: `input.${name}`,
    title: `${title}: ${wanted}`,
    mandatory: true,
    why: words.errors,
    how: command(session, request),
    look: async () => {
      jobs.goAhead(session.atOnce)
      const exchange = await jobs.get(request)
      const problem = mishandled(request, exchange)
      if (problem === undefined) return
      if (mayRun && (await isUsual(session, exchange)))
        throw new NotRun('it is taken for a valid task, and no better answered than those')
      throw new Failed(`expected ${wanted}, ${problem}`)
    },
  }
}

/** Whether a valid task has no readable reply either, for the same reason: then its being erroneous says nothing. */
async function isUsual(session: Session, { failure, status }: Exchange): Promise<boolean> {
  const { exchange } = (await session.taskRun(0)).run
  if (objectIn(exchange) !== undefined) return false
  return exchange.status === status && exchange.failure?.kind === failure?.kind
}

/** What is wrong with how a request was answered. The members of an error reply are looked at elsewhere. */
function mishandled({ mayRun }: ErroneousRequest, exchange: Exchange): string | undefined {
  const { status, failure, body } = exchange
  if (failure !== null) return `but ${failure.message}`
  if (status === null || status < 200 || status >= 500) return `got HTTP ${status}`
  if (status >= 400) return undefined
  if (status >= 300) return `got HTTP ${status}`
  const reply = objectIn(exchange)
  if (reply === undefined) return `got HTTP ${status} with ${JSON.stringify(body.slice(0, 100))}`
  return reply.status === 'success' && !mayRun ? 'got "success"' : undefined
}

function isPage({ headers, body }: Exchange): boolean {
  return /^text\/html/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(body)
}

/** What all the answers have in common. */
function together(session: Session, answers: Answers): Check[] {
  const how = command(session, { name: '', title: '', body: '{"task_id":"test-1"}' })
  return [
    {
      id: 'input.error_shape',
      title: 'Error replies have the shape of a run response, with a description in `error`',
      mandatory: true,
      why: words.errorShape,
      how,
      look: async () => {
        for (const { request, exchange } of await answers.errors()) {
          expectNone(runViolations(exchange, { isValid: false }), command(session, request))
        }
      },
    },
    {
      id: 'input.error_echo',
      title: 'Error replies echo a good task_id',
      mandatory: true,
      why: words.echo,
      how,
      look: async () => {
        for (const { request, reply } of await answers.errors()) {
          if (!goodId(request)) continue
          if (reply.task_id === 'test-1') continue
          const came = JSON.stringify(reply.task_id) ?? 'none'
          throw new Failed(`expected the task_id "test-1", got ${came}`, command(session, request))
        }
      },
    },
    {
      id: 'input.error_example',
      title: 'Error replies are those of the example: empty `output`, empty `metrics`',
      mandatory: false,
      why: words.errorShape,
      how,
      look: async () => {
        const errors = await answers.errors()
        if (errors.length === 0)
          throw new NotRun('no request was answered with a run response of status "error"')
        for (const { request, reply } of errors) {
          if (reply.output === '' && JSON.stringify(reply.metrics) === '{}') continue
          const came = JSON.stringify({ output: reply.output, metrics: reply.metrics }).slice(0, 300)
          throw new Failed(`expected "output":"" and "metrics":{}, got ${came}`, command(session, request))
        }
      },
    },
    {
      id: 'input.no_internals',
      title: 'No reply shows a stack trace or a path of the agent',
      mandatory: true,
      why: words.errors,
      how,
      look: () => {
        for (const { request, exchange } of answers.answered()) {
          const found = internalsIn(exchange.body)
          if (found) throw new Failed(`got ${JSON.stringify(found)}`, command(session, request))
        }
      },
    },
    {
      id: 'input.no_pages',
      title: 'Requests to /run are refused in a form for programs, not with an HTML page',
      mandatory: false,
      why: words.refusalBody,
      how,
      look: () => {
        const pages = answers.answered().filter(({ request, exchange }) => !request.path && isPage(exchange))
        const [first] = pages
        if (first)
          expectNone(
            pages.map(({ request }) => request.title),
            command(session, first.request),
          )
      },
    },
    {
      id: 'input.invalid_is_200',
      title: 'JSON objects that are no valid request are answered with HTTP 200 and status "error"',
      mandatory: false,
      why: words.errors,
      how,
      look: () => {
        const others = answers
          .answered()
          .filter(
            ({ request, exchange }) => request.wrongMember && !request.mayRun && exchange.status !== 200,
          )
        expectNone(others.map(({ request, exchange }) => `${request.title}: got HTTP ${exchange.status}`))
      },
    },
    {
      id: 'input.error_names_member',
      title: 'The description of the error names the member that is missing or wrong',
      mandatory: false,
      why: words.errorShape,
      how,
      look: async () => {
        const vague = (await answers.errors()).filter(
          ({ request, reply }) =>
            request.wrongMember && !request.mayRun && !String(reply.error).includes(request.wrongMember),
        )
        expectNone(vague.map(({ request, reply }) => `${request.title}: got ${JSON.stringify(reply.error)}`))
      },
    },
  ]
}

/** Valid requests that are hard to serve, and how the agent is after all that. */
function afterwards(session: Session): Check[] {
  const hard = [{ max_tokens: 1 }, { enabled_tools: [] }]
  return [
    {
      id: 'input.failures_are_200',
      title: 'Valid tasks that the agent can hardly finish (one token, no tools) are answered with HTTP 200',
      mandatory: true,
      why: words.failure,
      how: hard.map(config => session.curlFirst(config)).join('\n'),
      look: async () => {
        for (const config of hard) {
          const { exchange, request } = (await session.again(config)).run
          if (exchange.failure !== null) throw new Failed(`expected a reply, but ${exchange.failure.message}`)
          if (exchange.status === 200) continue
          throw new Failed(`expected HTTP 200, got ${exchange.status}`, session.curlRun(request))
        }
      },
    },
    {
      id: 'input.alive',
      title: 'After all of it the agent does a task as well as before',
      mandatory: true,
      why: words.errors,
      how: session.curlFirst(),
      look: async () => {
        const again = await session.again()
        expectNone(failuresOf(again.run))
        expectNone(await session.lapses(again))
      },
    },
    {
      id: 'input.healthy',
      title: 'After all of it /health answers',
      mandatory: true,
      why: words.healthTimeout,
      how: `curl -sS -i ${session.url}/health`,
      look: async () => {
        const { failure, status } = await session.calls.health(session.calls.bearer())
        if (failure !== null) throw new Failed(`expected an answer, but ${failure.message}`)
        if (status !== 200) throw new Failed(`expected HTTP 200, got ${status}`)
      },
    },
  ]
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
  for (const shape of INTERNALS) {
    const found = shape.exec(text)
    if (found) return found[0].trim().slice(0, 200)
  }
  return undefined
}

/** Whether a request can be read, and its task_id is test-1. */
function goodId({ wrongMember }: ErroneousRequest): boolean {
  return wrongMember !== undefined && wrongMember !== 'task_id'
}

function command(session: Session, request: ErroneousRequest): string {
  const { method, path = '/run', type, body, bodyFrom } = request
  const headers = type === undefined ? undefined : { 'Content-Type': type }
  const text = bodyFrom === undefined && body !== undefined ? Buffer.from(body).toString() : undefined
  return session.curl({ path, method, headers, body: text, bodyFrom })
}
