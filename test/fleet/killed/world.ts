import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBackend } from '@agent-task-service/test-support/backend'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, text } from '@agent-task-service/test-support/mcp/peer'
import { asks, call, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { onTestFinished } from 'vitest'

/** The calls of each run, in order; three have side effects, and one of these is an MCP server's. */
export const CALLS = ['look', 'pay', 'look', 'look', 'books__post', 'look', 'mail', 'look'] as const
const EFFECTS = ['pay', 'books__post', 'mail']

/** A side effect that happened. */
export interface Done {
  readonly tool: string
  readonly task: string
  readonly nth: number
  readonly key: string
}

export interface World {
  readonly env: Record<string, string>
  /** Called at each moment of a run, with its name; the message waits for it. */
  onMoment: (moment: string) => Promise<void>
  /** What tools did for a task, from the file that they write. */
  doneFor(task: string): Done[]
}

/**
 * All on 127.0.0.1: a model that asks for the calls one by one, the services behind the tools, and an MCP server.
 *
 * @param declares whether the MCP server says that its tool has side effects, or that it only reads
 * @param honours whether the services do nothing twice with the same key
 */
export async function startWorld(declares: boolean, honours: boolean): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'effects-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'done.jsonl')
  writeFileSync(file, '')
  const all = (): Done[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  const moment = (name: string) => world.onMoment(name)
  const act = async (done: Done) => {
    await moment(`${done.tool} begins`)
    if (!honours || !all().some(({ key }) => key === done.key))
      appendFileSync(file, `${JSON.stringify(done)}\n`)
    await moment(`${done.tool} ends`)
    return `did ${done.tool} ${done.nth}`
  }

  const model = await openAIServer(async request => {
    await moment('model asked')
    const task = String(request.body.messages.find(({ role }) => role === 'user')?.content)
      .split(' ')
      .at(-1)!
    const results = toolTexts(request)
    const nth = results.length
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    const name = CALLS[nth]
    await moment('model answers')
    return name ? asks([call(name, { task, nth })], { usage }) : says(results.join('\n'), { usage })
  })
  const { url } = await startBackend(async (response, { path }) => {
    const [, tool = '', task = '', nth, key = ''] = path.split('/')
    if (tool === 'lookup') {
      const found = all().find(done => done.key === task)
      response.writeHead(found ? 200 : 404).end(found && `did ${found.tool} ${found.nth}`)
    } else if (tool === 'look') {
      await moment('look begins')
      response.end(`saw ${nth}`)
    } else response.end(await act({ tool, task, nth: Number(nth), key }))
  })
  const books = await httpPeer({
    list: () => ({
      tools: [
        { ...listed('post', SCHEMA), annotations: { readOnlyHint: !declares, idempotentHint: !declares } },
      ],
    }),
    call: async (_name, { task, nth }, meta) => {
      const key = (meta as Record<string, string>)['agent-task-service/idempotency-key']!
      return text(await act({ tool: 'books__post', task: String(task), nth: Number(nth), key }))
    },
  })
  const config = join(folder, 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { books: { type: 'http', url: books.url } } }))
  const world: World = {
    env: { ...model.env, WORLD_URL: url, MCP_CONFIG: config, DECLARES: declares ? 'yes' : 'no' },
    onMoment: async () => undefined,
    doneFor: task => all().filter(done => done.task === task),
  }
  return world
}

const SCHEMA = {
  type: 'object',
  properties: { task: { type: 'string' }, nth: { type: 'number' } },
  required: ['task', 'nth'],
}

interface Reply {
  readonly status: string
  readonly output: string
  readonly error?: string
}

/** What is wrong with the replies to a task, given what was done for it. There may be two while Redis is away. */
export function* problemsOf(replies: readonly Reply[], done: readonly Done[]): Generator<string> {
  for (const [nth, same] of Map.groupBy(done, ({ nth }) => nth))
    if (same.length > 1) yield `call ${nth}, ${same[0]!.tool}, was done ${same.length} times`
  for (const { tool, key } of done)
    if (!replies.some(reply => tells(reply, tool) || reply.error?.includes(key)))
      yield `${tool} was done, and no reply tells`
  for (const reply of replies) yield* reply.status === 'success' ? lostIn(reply, done) : vagueIn(reply)
}

const tells = ({ output }: Reply, tool: string) => output.includes(`did ${tool} `)

/** Effects that an answer tells wrongly, or not at all. */
function* lostIn(reply: Reply, done: readonly Done[]): Generator<string> {
  for (const tool of EFFECTS) {
    const isTold = tells(reply, tool)
    if (isTold && !done.some(each => each.tool === tool)) yield `${tool} was told and not done`
    if (!isTold && !reply.output.includes('cannot be recorded now')) yield `${tool} was lost silently`
  }
}

function* vagueIn({ error = '' }: Reply): Generator<string> {
  if (!error.startsWith('the outcome is unknown')) yield `the error is: ${error}`
}
