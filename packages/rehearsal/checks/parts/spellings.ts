import { isIP } from 'node:net'
import type { RunRequest } from '@agent-task-service/wire/contract'
import { plainRequest } from '../../agents/plain-request.ts'
import { judge } from '../../tasks/judge.ts'
import type { SampleTask } from '../../tasks/task.ts'
import { type Check, check } from '../check.ts'
import { failuresOf, replyObject } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { Failed } from '../verdicts.ts'
import { repeat } from './repeated-text.ts'
import { persistent } from './variation.ts'

/** Another way to write a request. */
interface Spelling {
  /** Follows "written". */
  readonly how: string
  /** Makes it of the plain JSON. */
  readonly body?: (json: string) => string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent by a small client, which adds no header of its own. */
  readonly isSmall?: boolean
  readonly isCapital?: boolean
  /** Its body in several packets, the first of which ends inside the first letter beyond ASCII. */
  readonly isParted?: boolean
  /** What is written, beside a task of the file. */
  readonly config?: RunRequest['config']
}

/** Tries of one that is refused beside others: if that is for how it is written, there are many of them. */
const PATIENCE = 5
/** Which no other check sends: an agent may keep an answer. */
const CAP = { max_tokens: 4095 }
const TOOLS = { enabled_tools: ['calculator', 'time'] }
const NONE = { system_prompt: null, max_tokens: null, enabled_tools: null }
const changed = (change: (request: RunRequest) => object) => (json: string) =>
  JSON.stringify(change(JSON.parse(json)))

/** What JSON, HTTP and the contract call the same request: those of a row are tried at once, and each alone if that differs. */
const SAME: readonly Spelling[][] = [
  [
    {
      how: 'with its members in another order',
      body: changed(request => reversed({ ...request, config: reversed(request.config ?? {}) })),
      config: { ...CAP, ...TOOLS },
    },
    { how: 'over several lines', body: json => `${JSON.stringify(JSON.parse(json), null, '\t')}\r\n` },
    {
      how: 'with names of headers in capitals',
      headers: { Accept: '*/*' },
      isSmall: true,
      isCapital: true,
    },
    { how: 'in several packets', headers: { Accept: '*/*' }, isSmall: true, isParted: true },
    // The platform may reach the agent by another name.
    { how: 'for another Host', headers: { Accept: '*/*', Host: 'agent.internal:8080' }, isSmall: true },
  ],
  [
    { how: 'with escapes (\\u00e3, \\/)', body: escaped },
    { how: 'with blanks around it', body: json => `\r\n\t ${json} ` },
    {
      how: 'with a character set in its Content-Type',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    },
    {
      how: 'in chunks, without Content-Length',
      headers: { Accept: '*/*', 'Transfer-Encoding': 'chunked' },
      isSmall: true,
    },
  ],
  // Its names are to be read as they are.
  [
    { how: 'with an empty config', body: changed(({ config = {}, ...request }) => ({ ...request, config })) },
    { how: 'with no header beyond those of the contract', isSmall: true },
  ],
]

/** What only a usual reading of the contract calls the same. */
const LIKELY: readonly Spelling[][] = [
  [
    {
      how: 'with members of null',
      body: changed(request => ({ ...request, config: { ...NONE, ...request.config } })),
    },
  ],
  [
    {
      how: 'with a tool named twice',
      body: json => json.replace('"calculator"', '"calculator","calculator"'),
      config: TOOLS,
    },
    {
      how: 'with members that the contract does not name',
      body: changed(({ config, ...request }) => ({
        ...request,
        config: { ...config, temperature: 0 },
        priority: 3,
        trace: { id: 'a1' },
      })),
      config: CAP,
    },
    { how: 'with its Content-Type in capitals', headers: { 'Content-Type': 'APPLICATION/JSON' } },
  ],
]

/** A request means what it means however it is spelt: each legal spelling of one request gets what the plain one gets. */
export function spellings(session: Session): Check[] {
  const means = (name: string, title: string, rows: readonly Spelling[][], advisory = false) =>
    check(`run.${name}`, title, async () => await expectSame(session, rows), advisory)
  return [
    means('spellings', 'A request means the same however it is written', SAME),
    means('likely_spellings', 'What the contract leaves open in a request is read as usual', LIKELY, true),
  ]
}

/** @throws Failed, with all spellings that get something else */
async function expectSame(session: Session, rows: readonly Spelling[][]): Promise<void> {
  const task = await session.once(lettered)
  const wrong: { spelling: Spelling; problem: string }[] = []
  for (const all of rows) {
    const row = all.filter(({ headers }) => headers?.Host === undefined || isAddress(session.url))
    const whole = together(row)
    if ((await task.problemsOf(whole)).length === 0) continue
    const before = wrong.length
    for (const spelling of [...row, whole]) {
      if (spelling === whole && wrong.length > before) continue
      const [problem] = await persistent(session, () => task.problemsOf(spelling))
      // The task is known to be done, unless with a config that is not its own.
      const { config } = spelling
      const isDone = async () => !config || (await task.problemsOf({ how: 'plainly', config })).length === 0
      if (problem !== undefined && (await isDone())) wrong.push({ spelling, problem })
    }
  }
  if (wrong.length === 0) return
  session.how = task.command(wrong[0]!.spelling)
  const [how, got] = [wrong.map(({ spelling }) => spelling.how).join(', or '), wrong[0]!.problem]
  throw new Failed(`written ${how}: expected what the plain request gets, ${got.replace(/^expected /, '')}`)
}

function together(row: readonly Spelling[]): Spelling {
  const configs = row.flatMap(({ config = [] }) => config)
  return {
    how: row.map(({ how }) => how).join(', and '),
    body: json => row.reduce((text, { body }) => body?.(text) ?? text, json),
    headers: Object.assign({}, ...row.map(({ headers }) => headers)),
    isSmall: row.some(({ isSmall }) => isSmall),
    isCapital: row.some(({ isCapital }) => isCapital),
    isParted: row.some(({ isParted }) => isParted),
    config: configs.length > 0 ? Object.assign({}, ...configs) : undefined,
  }
}

const TEXT = 'tea/Zoë–東/😀 xQ'
const ECHO: SampleTask = { input: repeat(TEXT), expect: { status: 'success', contains: { all: [TEXT] } } }

/** A task that this agent does: to repeat a text, else one with a letter beyond ASCII if possible. */
async function lettered(session: Session) {
  const reference = await session.reference()
  const index = session.tasks.findIndex(({ input }) => /[^ -~]/.test(input))
  const known = async () => (index < 0 ? reference : await session.taskRun(index))
  const echo = await session.runTask(ECHO)
  const own = echo.problems.length === 0 ? echo : await known()
  const { task, problems } = own.problems.length === 0 ? own : reference
  const expected = problems.length === 0 ? task.expect : ({ status: 'success' } as const)
  const written = ({ config, body = json => json }: Spelling, task_id: string) => {
    const all = config || task.config ? { ...task.config, ...config } : undefined
    return body(JSON.stringify({ task_id, input: task.input, config: all }))
  }
  return {
    async problemsOf(spelling: Spelling): Promise<readonly string[]> {
      const task_id = await session.newId()
      const from = new Date()
      const sent = () => send(session, spelling, written(spelling, task_id))
      const exchange = await session.patiently(sent, PATIENCE)
      // Whether the agent is still there, another run says.
      if (exchange.failure !== null) await session.again()
      const encoding = spelling.isSmall ? exchange.headers['content-encoding'] : undefined
      if (encoding !== undefined) return [`expected no Content-Encoding, got ${encoding}`]
      const reply = replyObject(exchange) ?? {}
      const failures = failuresOf({ exchange, reply })
      if (failures.length > 0) return failures
      const isEchoed = reply.task_id === task_id
      return [
        ...judge(expected, reply, { from, to: new Date() }),
        ...(isEchoed ? [] : [`expected the task_id ${task_id}, got ${JSON.stringify(reply.task_id)}`]),
      ]
    },
    command(spelling: Spelling): string {
      // curl sends an Accept of its own.
      const sent = { ...(spelling.isSmall && { Accept: '' }), ...spelling.headers }
      const headers = named({ 'Content-Type': 'application/json', ...sent }, spelling)
      return session.curl({ path: '/run', headers, body: written(spelling, 'test-1') })
    },
  }
}

/** Whether nothing can be between here and the agent that chooses by a name. */
function isAddress(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || isIP(hostname.replace(/[[\]]/g, '')) > 0
}

const named = (headers: Readonly<Record<string, string>>, { isCapital }: Spelling) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [isCapital ? name.toUpperCase() : name, value]),
  )

async function send({ calls }: Session, spelling: Spelling, body: string) {
  const headers = { 'Content-Type': 'application/json', ...spelling.headers }
  if (!spelling.isSmall) return await calls.send('POST', '/run', { headers, body })
  const { authorization } = calls.bearer()
  const bytes = Buffer.from(body)
  const letter = bytes.findIndex(byte => byte > 127)
  return await calls.by(() =>
    plainRequest('POST', `${calls.client.url}/run`, {
      headers: named({ ...headers, ...(authorization && { Authorization: authorization }) }, spelling),
      body: bytes,
      timeoutMs: calls.limits.runTimeoutMs,
      signal: calls.signal,
      partBytes: spelling.isParted ? (letter < 0 ? Math.ceil(bytes.length / 2) : letter + 1) : undefined,
    }),
  )
}

/** All beyond ASCII, slashes, and letters of names and texts that are part of no escape. */
function escaped(json: string): string {
  const slashes = json.replaceAll('/', '\\/')
  return slashes.replace(/[^ -~]|[ios]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function reversed(object: object): object {
  return Object.fromEntries(Object.entries(object).toReversed())
}
