import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startBackend } from '@agent-task-service/test-support/backend'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { mcpService } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Script } from '@agent-task-service/test-support/openai-server'
import { until } from '@agent-task-service/test-support/until'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, onTestFinished, test } from 'vitest'
import { kinds } from '../../openai-compatible/test/strict-provider/kinds.ts'
import { isOfSchemas } from '../../openai-compatible/test/strict-provider/rules.ts'
import { packagedChromium } from '../../rehearsal/test/browser/chromium.ts'
import { installed } from './installed.ts'
/** What two who played a model searched for 40 tasks, and the right tools that they found. */
import recorded from './recorded-searches.json' with { type: 'json' }

const PACKAGES = [
  '@antv/mcp-server-chart@0.9.10',
  '@cyanheads/git-mcp-server@2.15.3',
  '@modelcontextprotocol/server-everything@2026.8.31',
  '@modelcontextprotocol/server-filesystem@2026.8.31',
  '@modelcontextprotocol/server-memory@2026.8.31',
  '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
  '@playwright/mcp@0.0.83',
  '@upstash/context7-mcp@4.1.1',
  'mcp-server-code-runner@0.1.8',
  'mcp-server-commands@0.5.0',
]

interface RealServer {
  /** In `mcp.json`. */
  readonly entry: object
  /** How many tools are offered, and what is refused. */
  readonly tools: number
  readonly refused?: readonly string[]
  /** Calls, one after another, and what the model reads. */
  readonly calls: readonly (readonly [tool: string, args: object, result: string | RegExp])[]
}

/** A folder with a text and a repository. */
async function workFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'real-servers-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'a.txt'), 'alpha\n')
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args])
  git('init', '--quiet', '--initial-branch=trunk')
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first', '--allow-empty')
  return folder
}

/** The server over streamable HTTP. */
async function overHttp(program: string): Promise<string> {
  const port = await heldPort()
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stderr }), 'line')
  expect(line).toContain('listening')
  return `http://127.0.0.1:${port}/mcp`
}

/** What the servers of others answer to servers that pass on what they are asked. */
async function elsewhere(): Promise<string> {
  const { url } = await startBackend((response, { path }) => {
    response.setHeader('content-type', 'application/json')
    const found = { id: '/honojs/hono', title: 'Hono', description: 'Web framework', totalSnippets: 7 }
    const chart = { success: true, resultObj: 'https://example.com/chart.png' }
    response.end(path.startsWith('/docs') ? JSON.stringify({ results: [found] }) : JSON.stringify(chart))
  })
  return url
}

/** The settings of the servers, what they offer, and calls that need no network. */
async function realServers(): Promise<Readonly<Record<string, RealServer>>> {
  const [programOf, folder, upstream, chromium] = await Promise.all([
    installed(PACKAGES),
    workFolder(),
    elsewhere(),
    packagedChromium(),
  ])
  const program = (name: string, args: readonly string[] = [], env: Record<string, string> = {}) => ({
    command: process.execPath,
    args: [programOf(name), ...args],
    // Some write files.
    env: { TMPDIR: folder, ...env },
    cwd: folder,
  })
  const browser = chromium ? ['--executable-path', chromium.executablePath, '--no-sandbox'] : []
  const ofEverything = (server: string): Omit<RealServer, 'entry'> => ({
    tools: 12,
    refused: [`${server}__simulate-research-query: runs only as a task`],
    calls: [
      ['echo', { message: 'hello' }, 'Echo: hello'],
      ['get-sum', { a: 2, b: 3 }, 'The sum of 2 and 3 is 5.'],
      ['get-structured-content', { location: 'New York' }, /^\{"temperature":\d+/],
      ['get-tiny-image', {}, /\[image of type image\/png, not shown\]/],
      ['get-sum', { a: 'two' }, /^Error: The MCP tool returned an error: .*number/s],
    ],
  })
  const thought = { thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }
  const url = await overHttp(programOf('mcp-server-everything'))
  return {
    everything: { entry: program('mcp-server-everything'), ...ofEverything('everything') },
    http: { entry: { url }, ...ofEverything('http') },
    filesystem: {
      entry: program('mcp-server-filesystem', [folder]),
      tools: 14,
      calls: [
        ['list_directory', { path: folder }, /\[FILE\] a\.txt/],
        ['read_text_file', { path: join(folder, 'a.txt') }, /^alpha/],
      ],
    },
    memory: {
      entry: program('mcp-server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
      tools: 9,
      calls: [
        ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: [] }] }, /./],
        ['read_graph', {}, /Ada/],
      ],
    },
    thinking: {
      entry: program('mcp-server-sequential-thinking'),
      tools: 1,
      calls: [['sequentialthinking', { thought: 'one', ...thought }, /"thoughtHistoryLength": ?\d/]],
    },
    playwright: {
      entry: program('playwright-mcp', ['--headless', '--isolated', ...browser], chromium?.env),
      tools: 25,
      calls: [['browser_navigate', { url: 'data:text/html,<p>Hello</p>' }, /Hello/]],
    },
    context7: {
      entry: program('context7-mcp', [], { CONTEXT7_API_URL: `${upstream}/docs` }),
      tools: 2,
      calls: [['resolve-library-id', { libraryName: 'hono', query: 'router' }, /\/honojs\/hono/]],
    },
    git: {
      entry: program('git-mcp-server', [], { MCP_TRANSPORT_TYPE: 'stdio', MCP_LOG_LEVEL: 'error' }),
      tools: 28,
      calls: [
        ['git_branch', { path: folder }, /trunk/],
        ['git_log', { path: folder }, /first/],
      ],
    },
    commands: {
      entry: program('mcp-server-commands'),
      tools: 1,
      calls: [
        ['run_command', { command: 'echo hi' }, 'hi\n'],
        ['run_command', { command: 'false' }, /^Error: The MCP tool returned an error: Command failed/],
      ],
    },
    runner: {
      entry: program('mcp-server-code-runner'),
      tools: 1,
      calls: [['run-code', { code: 'console.log(6*7)', languageId: 'javascript' }, '42\n']],
    },
    chart: {
      entry: program('mcp-server-chart', [], { VIS_REQUEST_SERVER: upstream }),
      tools: 27,
      calls: [['generate_area_chart', { data: [{ time: '2025', value: 1 }] }, /chart\.png/]],
    },
  }
}

/** Makes the calls that the task lists, one after another, and answers with their results. */
const makesCalls: Script = request => {
  const { messages } = request.body
  const calls: Parameters<typeof call>[] = JSON.parse(
    String(messages.find(({ role }) => role === 'user')?.content),
  )
  const results = toolTexts(request)
  const next = calls[results.length]
  return next ? asks([call(...next)]) : says(JSON.stringify(results))
}

/** The processes that this one starts from now on, until the test ends. */
function startedFromNowOn(): readonly ChildProcess[] {
  const started: ChildProcess[] = []
  const onStart = (message: unknown) => void started.push((message as { process: ChildProcess }).process)
  subscribe('child_process', onStart)
  onTestFinished(() => void unsubscribe('child_process', onStart))
  return started
}

test('real servers list their tools, answer, and are back when they are killed', async () => {
  const servers = await realServers()
  const model = await openAIServer(makesCalls)
  const entries = Object.fromEntries(Object.entries(servers).map(([name, { entry }]) => [name, entry]))
  const programs = startedFromNowOn()
  const { run, lines } = await mcpService(entries, {
    ...model.env,
    RUN_TIMEOUT_SEC: '119',
    MAX_STEPS: '1000',
  })
  const connected = (name: string) =>
    lines.filter(({ msg, server }) => msg === 'mcp server connected' && server === name)
  await until(() => Object.keys(servers).every(name => connected(name).length > 0))

  const offers = Object.entries(servers).map(([name, { tools, refused }]) => [
    name,
    { tools, refused_tools: refused },
  ])
  const listed = Object.keys(servers).map(name => {
    const [{ tools, refused_tools } = {}] = connected(name)
    return [name, { tools, refused_tools }]
  })
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(offers))

  // Whoever names an unknown tool is told the known ones.
  const refusal = JSON.stringify(await run('[]', { enabled_tools: ['nothing'] }))
  const known = /expected one of (.*), got/.exec(refusal)![1]!.split(', ')
  const names = known.filter(name => name.includes('__'))
  await run('[]', { enabled_tools: names })
  const { body } = model.requests[0]!
  const offered = body.tools as { function: { name: string; parameters: object } }[]
  expect(offered.map(tool => tool.function.name)).toEqual(names)
  expect(names).toHaveLength(Object.values(servers).reduce((sum, { tools }) => sum + tools, 0))
  const ajv = new Ajv2020({ strict: false })
  for (const { function: tool } of offered) expect(ajv.validateSchema(tool.parameters), tool.name).toBe(true)
  const strict = kinds.flatMap(({ always, maybe }) => [...always, ...maybe]).filter(isOfSchemas)
  expect(strict.flatMap(rule => rule.objectionTo(body as never, () => undefined) ?? [])).toEqual([])
  expect(
    offered.find(tool => tool.function.name === 'everything__get-sum')?.function.parameters,
  ).toMatchObject({
    properties: { a: { type: 'number', description: expect.any(String) }, b: { type: 'number' } },
    required: ['a', 'b'],
  })

  const searched = ['find_tools', ...names.filter(name => !name.startsWith('http__'))]
  const searches = recorded.map(({ query }) => ['find_tools', { query }])
  const { output } = await run(JSON.stringify(searches), { enabled_tools: searched })
  for (const [nth, text] of JSON.parse(String(output)).entries()) {
    const { query, finds } = recorded[nth]!
    const found = text.match(/^[\w-]+(?=:)/gm)
    expect(
      finds.filter(name => found.includes(name)),
      query,
    ).not.toEqual([])
  }

  const useAll = async () => {
    const used = Object.entries(servers).map(async ([server, { calls }]) => {
      const made = calls.map(([tool, args]) => [`${server}__${tool}`, args] as const)
      const { output } = await run(JSON.stringify(made), { enabled_tools: made.map(([name]) => name) })
      return [server, JSON.parse(String(output))] as const
    })
    return Object.fromEntries(await Promise.all(used))
  }
  const results = Object.fromEntries(
    Object.entries(servers).map(([server, { calls }]) => [
      server,
      calls.map(([, , result]) => (result instanceof RegExp ? expect.stringMatching(result) : result)),
    ]),
  )
  expect(await useAll()).toEqual(results)
  for (const child of [...programs]) child.kill('SIGKILL')
  const killed = Object.keys(entries).filter(name => 'command' in entries[name]!)
  await until(() => killed.every(name => connected(name).length > 1))
  expect(await useAll()).toEqual(results)
})
