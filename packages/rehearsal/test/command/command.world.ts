import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { AgentClient } from '@agent-task-service/rehearsal/agents'
import { checkCommand } from '@agent-task-service/rehearsal/command'
import { listen } from '@agent-task-service/rehearsal/platform'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { scriptedAgent } from '@agent-task-service/test-support/scripted-agent'
import { XMLValidator } from 'fast-xml-parser'
import { expect, onTestFinished, test } from 'vitest'
import { shellQuoted } from '../../curl.ts'
import { listeningAgent } from '../checked-agent.ts'
import { newFile } from '../new-file.ts'
import { testPlatform } from '../platform.ts'

const CHECK = fileURLToPath(new URL('../../check.ts', import.meta.url))

async function command(args: readonly string[], env = {}, platformUrl?: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const signal = new AbortController().signal
  const world = { env, stdin: new PassThrough(), stdout, stderr, signal, platformUrl }
  const code = await checkCommand(args, world)
  return { code, output: await text(stdout.end()), errors: await text(stderr.end()) }
}

test('reports an unwritable report file with every other problem, before checking anything', async () => {
  const agent = await scriptedAgent((_request, response) => void response.end())
  const tasks = await newFile('a.yaml')
  await writeFile(tasks, 'tasks:\n  - { input: 5, expect: {} }\n')
  const wrong = ['--tasks', tasks, '--tasks', '/nowhere/b.yaml']
  const files = ['--json', '/nowhere/a.json', '--junit', tmpdir(), ...wrong]
  const { code, output, errors } = await command([agent.url.slice('http://'.length), ...files])
  expect([code, output]).toEqual([64, ''])
  expect(errors).toBe(
    `the options are not valid:
  URL: expected an http(s) address without a path, credentials or a query, got "${agent.url.slice(7)}": try ${agent.url}
  a.yaml:2: tasks[0].input: expected a text, got the number 5
  a.yaml:2: tasks[0].expect: expected at least one of equals, contains, pattern, number, time, json, or a status other than success
  /nowhere/b.yaml: expected a readable file, got ENOENT
  --json: expected a writable file, got ENOENT for /nowhere/a.json
  --junit: expected a writable file, got EISDIR for ${tmpdir()}
`,
  )
  expect(agent.requests).toEqual([])
})

// EVIDENCE-OF docs/reference/acceptance-checks.md: Given twice, as after the one that a new agent's `npm run staging:check` has, it
//   adds to it.
test('each file of tasks adds its own', async () => {
  const agent = await scriptedAgent((_request, response) => void response.end())
  const files = await Promise.all(
    ['one', 'two'].map(async name => {
      const file = await newFile(`${name}.yaml`)
      await writeFile(file, `tasks: [{ input: ${name}, expect: { contains: a } }]`)
      return ['--tasks', file]
    }),
  )
  const { output } = await command([agent.url, '--only', 'result', ...files.flat()])
  expect(output).toMatch(/ one result\.1\n.* two result\.2\n/)
})

test('a healthy agent passes by its URL alone, and one line says what else could be checked', async () => {
  const { code, output, errors } = await command([(await listeningAgent()).url])
  expect(code).toBe(0)
  expect(errors).toBe('')
  expect(output).toContain('\nPASSED: everything mandatory passed\n')
  expect(output.match(/^ {2}\? .*$/gm)?.filter(line => !line.endsWith('(advisory)')) ?? []).toEqual([])
  expect(output).not.toMatch(/mandatory not run:/)
  expect(output.match(/^not seen from outside: .*$/gm)).toEqual([
    'not seen from outside: its log (--log FILE); its start, its shutdown and the secrets in its environment (--start COMMAND); a run without a model (--start COMMAND --stall NAME); its image (--image NAME); the staging route and the totals in the database (the checks in npm run staging); whether it asks for its token (--token-env NAME)',
  ])
})

test('reports an unreachable agent in a few lines', async () => {
  const url = `http://127.0.0.1:${await heldPort()}`
  const { code, output } = await command([url])
  expect(code).toBe(1)
  expect(output).toContain('expected a reply within 5 s, but the connection was refused')
  expect(output.trim().split('\n').length).toBeLessThan(15)
  expect(output).toContain('\n0 of 1 assertion passed; 0 requests to ')
})

test('an agent that cannot be started gets a report too, in every format', async () => {
  const url = `http://127.0.0.1:${await heldPort()}`
  const [json, junit] = [await newFile('a.json'), await newFile('a.xml')]
  const start = 'echo no model configured >&2; exit 3'
  const { code, output } = await command([url, '--start', start, '--json', json, '--junit', junit])
  expect(code).toBe(1)
  const detail = 'expected it to start: exit code 3. Its last lines: no model configured'
  expect(output).toContain(`limits.start\n      ${detail}\n`)
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({
    verdict: 'failed',
    groups: [
      { id: 'limits', assertions: [{ id: 'limits.start', verdict: 'fail', mandatory: true, detail }] },
    ],
  })
  expect(await readFile(junit, 'utf8')).toContain(`<failure message="${detail}"`)
})

test('reads the options by their table, and reports all problems at once', async () => {
  const { code, errors } = await command(
    'http://x/path y --log --only a,run --agent-id x --minutes 0 --nope'.split(' '),
  )
  expect([code, errors]).toEqual([
    64,
    `the options are not valid:
  --log: expected a value, got --only
  --nope: expected one of --start, --token-env, --agent-id, --tasks, --log, --image, --only, --concurrency, --minutes, --long, --stall, --json, --junit, --version, --help
  URL: expected an http(s) address without a path, credentials or a query, got something else
  --minutes: expected a whole number, 1 to 999, got "0"
  expected one URL, got 3
  --agent-id: expected agent-<number>, got "x"
`,
  ])
})

test.for([
  [{}, 'without a token'],
  [{ WRONG: 'not-the-right-token' }, 'with the given token'],
] as const)('the first 401 to %j ends the checks with one line', async ([env, which]) => {
  const { url } = await listeningAgent({ AGENT_TOKENS: 'the-right-token' })
  const options = 'WRONG' in env ? ['--token-env', 'WRONG'] : []
  const { code, output } = await command([url, ...options], env)
  expect(code).toBe(2)
  expect(output.match(/^ +not run: .*/gm)).toEqual([
    `      not run: the agent refuses runs ${which}: give the variable that holds its token, --token-env NAME; nothing else was checked`,
  ])
  expect(output).not.toContain('input.')
})

test("an agent's output controls no terminal, in any report", async () => {
  const nasty = '\u001b]0;owned\u0007\u009b31m\u202e'
  const agent = await scriptedAgent(({ path }, response) => {
    response.setHeader('content-type', 'application/json')
    const said = { status: 'error', error: nasty, output: nasty, metrics: {}, agent_id: nasty, agent_name: 1 }
    response.end(JSON.stringify(path === '/health' ? { ...said, status: nasty } : said))
  })
  const [json, junit] = [await newFile('a.json'), await newFile('a.xml')]
  const files = ['--json', json, '--junit', junit]
  const { code, output } = await command([agent.url, '--only', 'health,run', ...files])
  const reports = [output, await readFile(json, 'utf8'), await readFile(junit, 'utf8')]
  expect(code).toBe(1)
  expect(output).toContain('\\u001b]0;owned\\u0007\\u009b31m\\u202e')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
  for (const report of reports) expect(report).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  expect(XMLValidator.validate(reports[2]!)).toBe(true)
  expect(JSON.parse(reports[1]!)).toMatchObject({ verdict: 'failed' })
})

test('a platform that runs lists the report, whose last line says where', async () => {
  const { app, store } = testPlatform()
  const { url: platformUrl, close } = await listen(app, 0)
  onTestFinished(close)
  const { url } = await listeningAgent()
  const { code, output } = await command([url, '--only', 'health'], {}, platformUrl)
  expect(code).toBe(0)
  expect(output).toContain(`\non the dashboard: ${platformUrl}/#/checks/1\n`)
  expect(store.checks.list()).toMatchObject([{ agentId: url, state: 'passed', onCommandLine: true }])
  const json = await command([url, '--only', 'health', '--json', '-'], {}, platformUrl)
  expect(JSON.parse(json.output)).toMatchObject({ verdict: 'passed' })
  expect(store.checks.list()).toHaveLength(2)
})

test('whatever is in the place of a platform changes nothing', async () => {
  const { url } = await listeningAgent()
  const { url: other } = await scriptedAgent((_request, response) => response.writeHead(404).end('what?'))
  for (const place of [`http://127.0.0.1:${await heldPort()}`, other]) {
    const { code, output, errors } = await command([url, '--only', 'health'], {}, place)
    expect([code, errors]).toEqual([0, ''])
    expect(output).not.toContain('dashboard')
  }
})

test.for(['SIGINT', 'SIGHUP'] as const)('at %s the started agent stops too', async signal => {
  const port = await heldPort()
  const url = `http://127.0.0.1:${port}`
  // Answers only /health, so that the checks wait.
  const program = `require('node:http').createServer(({ url }, response) => {
    if (url === '/health') response.end('{}')
    else console.log(url)
  }).listen(${port}, '127.0.0.1')`
  const start = `exec ${shellQuoted(process.execPath)} -e ${shellQuoted(program)}`
  const child = spawn(process.execPath, [CHECK, url, '--start', start, '--only', 'run'], {
    // Where no platform runs.
    cwd: dirname(await newFile('a')),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  child.stdout.resume()
  await once(child.stdout, 'data')
  child.kill(signal)
  // npm sends one of its own.
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([2, null])
  expect((await new AgentClient({ url }).health({ timeoutMs: 5_000 })).failure?.kind).toBe('refused')
})
