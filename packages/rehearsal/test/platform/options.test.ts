import { UsageError } from '@agent-task-service/rehearsal/command-line'
import { expect, test } from 'vitest'
import { readOptions } from '../../platform/options.ts'
import { welcome } from '../../platform/welcome.ts'

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

test('everything has a default, and the token is generated each time', () => {
  const first = readOptions([], {})
  expect(first).toEqual({
    help: false,
    agents: [],
    port: 8090,
    databaseFile: '.staging/platform.db',
    tasksFiles: [],
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
  const named = ['agent-7=http://localhost:8080/', 'agent-8=https://eight.example']
  const args = [...named, '--port=0', '--db', 'x.db', '--tasks', 'own.yaml', '--tasks', 'more.yaml', '-h']
  expect(readOptions(args, env)).toEqual({
    help: true,
    agents: [
      { id: 'agent-7', url: 'http://localhost:8080', token: 'token-of-seven' },
      { id: 'agent-8', url: 'https://eight.example', token: undefined },
    ],
    port: 0,
    databaseFile: 'x.db',
    tasksFiles: ['own.yaml', 'more.yaml'],
    token: 'token-of-mine',
    tokenIsMade: false,
  })
})

test('there may be 1 to 4 replicas', () => {
  expect(readOptions(['--replicas', '4'], {}).replicas).toBe(4)
  expect(['0', '5', 'two'].flatMap(count => problemsOf(['--replicas', count]))).toEqual(
    ['0', '5', 'two'].map(got => `--replicas: expected a whole number, 1 to 4, got "${got}"`),
  )
})

test('an agent may have its own token, log and image', () => {
  const agent = 'agent-2=http://two:8080 image=two:1 log=/var/log/two.log'
  expect(readOptions([agent], { STAGING_AGENT_TOKEN_2: 'token-of-two' }).agents).toEqual([
    { id: 'agent-2', url: 'http://two:8080', token: 'token-of-two', image: 'two:1', log: '/var/log/two.log' },
  ])
})

test('reports all problems at once, and no secrets', () => {
  const args = [
    ...['seven', '--prot', '--port', '65536', '--db='],
    'agent-1=http://one token=secret-on-the-line',
    'agent-2=http://user:secret-in-a-url@two',
    'agent-3=http://three log=',
    'agent-4=http://four/path',
    'agent-6=http://six',
    'agent-6=http://six',
  ]
  const problems = problemsOf(args, { STAGING_TOKEN: 'a secret', STAGING_AGENT_TOKEN_6: 'short' })
  expect(problems.map(problem => problem.split(': ')[0])).toEqual([
    ...['--prot', '--db', 'agent 1', 'agent 2', 'agent-2', 'agent 4', 'agent-4'],
    ...['STAGING_AGENT_TOKEN_6', 'STAGING_AGENT_TOKEN_6', 'agent-6', '--port', 'STAGING_TOKEN'],
  ])
  expect(problems[0]).toBe('--prot: expected one of --port, --replicas, --tasks, --db, --help')
  expect(problems.join()).not.toMatch(/secret-|short/)
})

test("shows a generated token ready to use, and hides the user's own", () => {
  const options = readOptions(['agent-7=http://localhost:8080'], {})
  const made = welcome('http://127.0.0.1:8090', options, options.agents, "What's 6 * 7?", undefined)
  expect(made).toContain('dashboard  http://127.0.0.1:8090/\n')
  expect(made).toContain(`-H "Authorization: Bearer ${options.token}"`)
  expect(made).toContain('http://127.0.0.1:8090/staging/agents/agent-7/run')
  expect(made).toContain(String.raw`-d '{"task_id":"test-1","input":"What'\''s 6 * 7?"}'`)
  const given = readOptions(['agent-7=http://localhost:8080'], { STAGING_TOKEN: 'a-token-of-mine' })
  const told = welcome('http://127.0.0.1:8090', given, given.agents, 'a task', '.staging/agent.log')
  expect(told).not.toContain('a-token-of-mine')
  expect(told).toContain('Bearer $STAGING_TOKEN')
  expect(told).toContain('.staging/agent.log')
})
