import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../../../staging/command-line.ts'
import { readOptions } from '../../../staging/platform/options.ts'
import { welcome } from '../../../staging/platform/welcome.ts'

/** Problems of the options, one per line. */
function problemsOf(args: string[], env: Record<string, string> = {}): string[] {
  try {
    readOptions(args, env)
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as Error).message.split('\n  ').slice(1)
  }
  return []
}

async function fileOf(...lines: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'agents.txt')
  await writeFile(file, lines.join('\r\n'))
  return file
}

test('everything has a default, and the token is generated each time', () => {
  const first = readOptions([], {})
  expect(first).toEqual({
    help: false,
    agents: [],
    port: 8090,
    hostname: '127.0.0.1',
    databaseFile: '.staging/platform.db',
    token: expect.stringMatching(/^[\w-]{32}$/),
    tokenIsMade: true,
  })
  expect(readOptions([], {}).token).not.toBe(first.token)
})

test('names agents on the command line; their tokens come from the environment', () => {
  const env = {
    STAGING_AGENT_TOKEN_7: ' token-of-seven ',
    STAGING_TOKEN: ' token-of-mine ',
    STAGING_AGENT_TOKEN_8: ' ',
  }
  const args = [
    'agent-7=http://localhost:8080/',
    '--port=0',
    'agent-8=https://eight.example',
    '--host',
    '0.0.0.0',
    '--db',
    'x.db',
  ]
  expect(readOptions(args, env)).toEqual({
    help: false,
    agents: [
      { id: 'agent-7', url: 'http://localhost:8080', token: 'token-of-seven' },
      { id: 'agent-8', url: 'https://eight.example', token: undefined },
    ],
    port: 0,
    hostname: '0.0.0.0',
    databaseFile: 'x.db',
    token: 'token-of-mine',
    tokenIsMade: false,
  })
})

test('names agents in a file, with comments, and with the variable of a token', async () => {
  const file = await fileOf(
    '# ours',
    '',
    'agent-1=http://127.0.0.1:8081  # the first',
    '  agent-2=http://two:8080 token-env=TWO image=two:1 log=/var/log/two.log',
  )
  expect(readOptions(['--agents', file, 'agent-3=http://three'], { TWO: 'token-of-two' }).agents).toEqual([
    { id: 'agent-3', url: 'http://three', token: undefined },
    { id: 'agent-1', url: 'http://127.0.0.1:8081', token: undefined },
    {
      id: 'agent-2',
      url: 'http://two:8080',
      token: 'token-of-two',
      image: 'two:1',
      log: '/var/log/two.log',
    },
  ])
})

test('--help and -h', () => {
  expect(readOptions(['--help'], {}).help).toBe(true)
  expect(readOptions(['-h'], {}).help).toBe(true)
})

test('reports all problems at once, and no secrets', async () => {
  const file = await fileOf(
    'agent-1=http://one token=secret-in-a-file',
    'agent-2=http://user:secret-in-a-url@two',
    'agent-3=http://three token-env=MISSING',
    'agent-4=http://four/path',
    'agent-5=ftp://five',
    'agent-6=http://six',
    'agent-6=http://six',
  )
  const args = ['seven', '--prot', '--port', '65536', '--host', '', '--db=', '--agents', file]
  const env = { STAGING_TOKEN: 'a secret', STAGING_AGENT_TOKEN_6: 'short' }
  const problems = problemsOf(args, env)
  const shape =
    'expected agent-<number>=<http address>, optionally token-env=NAME, log=FILE, image=NAME, got something else'
  const address = 'expected an http(s) address without a path, credentials or a query, got something else'
  const secret = 'expected visible ASCII without spaces, 8 characters or more, got something else (not shown)'
  expect(problems).toEqual([
    '--prot: expected one of --agents, --port, --host, --db, --keep-days, --help',
    '--host: expected a value, got none',
    '--db: expected a value, got none',
    `seven: ${shape} (not shown: it may hold a token)`,
    `${file}:1: ${shape} (not shown: it may hold a token)`,
    `agent-2: ${address}`,
    'agent-3: expected a token in the variable MISSING, got nothing',
    `agent-4: ${address}`,
    `agent-5: ${address}`,
    `STAGING_AGENT_TOKEN_6: ${secret}`,
    `STAGING_AGENT_TOKEN_6: ${secret}`,
    'agent-6: given more than once',
    '--port: expected a whole number, 0 to 65535, got "65536"',
    `STAGING_TOKEN: ${secret}`,
  ])
  expect(problems.join()).not.toMatch(/secret-in|short/)
})

test('a missing file', () => {
  expect(problemsOf(['--agents', '/no/such/file'])).toEqual([
    '--agents /no/such/file: expected a readable file, got ENOENT',
  ])
})

test("shows a generated token ready to use, and hides the user's own", () => {
  const options = readOptions(['agent-7=http://localhost:8080'], {})
  const made = welcome('http://127.0.0.1:8090', options, options.agents, undefined)
  expect(made).toContain('dashboard  http://127.0.0.1:8090/\n')
  expect(made).toContain(`-H "Authorization: Bearer ${options.token}"`)
  expect(made).toContain('http://127.0.0.1:8090/staging/agents/agent-7/run')
  const given = readOptions(['agent-7=http://localhost:8080'], { STAGING_TOKEN: 'a-token-of-mine' })
  const told = welcome('http://127.0.0.1:8090', given, given.agents, '.staging/agent.log')
  expect(told).not.toContain('a-token-of-mine')
  expect(told).toContain('Bearer $STAGING_TOKEN')
  expect(told).toContain('.staging/agent.log')
})
