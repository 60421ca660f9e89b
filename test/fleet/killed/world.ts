import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBackend } from '@agent-task-service/test-support/backend'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, text } from '@agent-task-service/test-support/mcp/peer'
import { call, completion, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { onTestFinished } from 'vitest'
import { hintsFor } from './hints.ts'

/** The calls of each run, in order; three have side effects, and one of these is an MCP server's. */
export const CALLS = ['look', 'pay', 'look', 'look', 'books__post', 'look', 'mail', 'look'] as const
const EFFECTS = ['pay', 'books__post', 'mail']
const LOOKED_UP = ['pay']

/** A side effect that happened. */
export interface Done {
  readonly tool: string
  readonly task: string
  readonly nth: number
  readonly key: string
}

/** A call of the model. */
export interface Asked {
  readonly task: string
  /** How many results the request had. */
  readonly turn: number
  /** Name of the replica that pays for it. */
  readonly by: string
  /** What it was answered, or would have been. */
  readonly words: string
}

export interface World {
  readonly env: Record<string, string>
  /** Called at each moment of a run, with its name; the message waits for it. */
  onMoment: (moment: string) => Promise<void>
  /** What tools did for a task, from the file that they write. */
  doneFor(task: string): Done[]
  /** The model's calls for a task, in the order in which they came. */
  askedFor(task: string): Asked[]
}

const KEY = 'sk-proj-Rk7dWq92LmZx04TbVn-'

/** What a replica of this name has beside the world's environment, so that the model knows it. */
export function payingAs(name: string): Record<string, string> {
  return { OPENAI_API_KEY: KEY + name }
}

/**
 * All on 127.0.0.1: a model that asks for the calls one by one if it is told to do them, says something else each time, and answers
 * with all that was said; the services behind the tools, and an MCP server.
 *
 * @param modelMs how long the model takes
 * @param declares what the tools say of themselves, as `hintsFor` takes it
 * @param honours whether the services do nothing twice with the same key
 */
export async function startWorld(declares: string, honours: boolean, modelMs: number): Promise<World> {
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

  const asked: Asked[] = []
  const model = await openAIServer(async request => {
    const { messages } = request.body
    const input = String(messages.find(({ role }) => role === 'user')?.content)
    const task = input.split(' ').at(-1)!
    const turn = toolTexts(request).length
    const words = `Thought ${asked.length}: “naïve” \\ \t"🦉"`
    const by = String(request.headers.authorization).split(KEY).at(-1)!
    asked.push({ task, turn, by, words })
    await moment('model asked')
    await sleep(modelMs)
    const name = input.startsWith('Do ') ? CALLS[turn] : undefined
    await moment('model answers')
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    if (!name) {
      const said = messages.filter(({ role }) => role === 'assistant' || role === 'tool')
      return says(JSON.stringify([...said.map(({ content }) => content), words]), { usage })
    }
    const tool_calls = [call(name, { task, nth: turn })]
    return completion({ role: 'assistant', content: words, tool_calls }, { finish: 'tool_calls', usage })
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
      tools: [{ ...listed('post', SCHEMA), annotations: hintsFor(declares) }],
    }),
    call: async (_name, { task, nth }, meta) => {
      const key = (meta as Record<string, string>)['agent-task-service/idempotency-key']!
      return text(await act({ tool: 'books__post', task: String(task), nth: Number(nth), key }))
    },
  })
  const config = join(folder, 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { books: { type: 'http', url: books.url } } }))
  const world: World = {
    env: { ...model.env, WORLD_URL: url, MCP_CONFIG: config, DECLARES: declares },
    onMoment: async () => undefined,
    doneFor: task => all().filter(done => done.task === task),
    askedFor: task => asked.filter(each => each.task === task),
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

/**
 * Outcomes that an error calls unknown although they can be known: the service can be asked, or it is recorded.
 *
 * @param texts what was recorded when the replica was lost
 */
export function* unfoundedIn({ error = '' }: Reply, texts: readonly string[]): Generator<string> {
  const [unknown = ''] = error.split(';')
  for (const [, tool = ''] of unknown.matchAll(/(\w+) \(key /g)) {
    const ended = new RegExp(`"tool":"${tool}",[^{}]*"outcome":`)
    if (LOOKED_UP.includes(tool)) yield `${tool} is unknown, and can be looked up`
    if (texts.some(text => ended.test(text))) yield `${tool} is unknown, and was recorded`
  }
}
