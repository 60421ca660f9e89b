import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startBackend } from '@agent-task-service/test-support/backend'
import { mcpFile } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Script } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'
import { installed } from './installed.ts'

const CLIENT = fileURLToPath(new URL('conformance-client.ts', import.meta.url))
/** For each scenario, its turn included. */
const TIMEOUT_MS = 300_000
const PAGE = new URL('../../../docs/guides/mcp.md', import.meta.url)

const needElicitationOrOAuth = [
  'elicitation-sep1034-client-defaults',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/cross-app-access-complete-flow',
]

type Results = Readonly<Record<string, 'pass' | 'fail'>>
type Tools = readonly { readonly function: { readonly name: string; readonly parameters: object } }[]

/** Calls each tool once; those of the suite take numbers. */
const callsEachTool: Script = ({ body }) => {
  const tools = (body.tools ?? []) as Tools
  if (tools.length === 0 || body.messages.some(({ role }) => role === 'tool')) return says('Done.')
  const calls = tools.map(({ function: { name, parameters } }) => {
    const { properties = {} } = parameters as { properties?: object }
    return call(name, Object.fromEntries(Object.keys(properties).map(member => [member, 2])))
  })
  return asks(calls)
}

/** Does a task with the tools of the server at this address. */
async function doTask(url: string): Promise<void> {
  const { env } = await openAIServer(callsEachTool)
  const MCP_CONFIG = await mcpFile({ judge: { url } })
  const service = await testService({ ...env, MCP_CONFIG }, { tools: [] })
  await service.run('Call each tool')
  await service.close()
}

/** Runs all scenarios for clients: their results, and what the suite says of them. */
async function judged(version: string): Promise<{ readonly results: Results; readonly words: string }> {
  const program = await installed([`@modelcontextprotocol/conformance@${version}`])
  // One after another, since a scenario measures how long a client waits.
  let turn = Promise.resolve()
  const { url } = await startBackend((response, { body }) => {
    turn = turn.then(() => doTask(body.toString())).finally(() => void response.end())
  })
  const command = `${process.execPath} ${CLIENT} ${url}`
  const suite = [program('conformance'), 'client', '--suite', 'all', '--command', command]
  const options = ['--verbose', '--timeout', String(TIMEOUT_MS)]
  const words = await new Promise<string>(resolve => {
    // It fails if a scenario does.
    execFile(process.execPath, [...suite, ...options], (_error, stdout, stderr) => resolve(stdout + stderr))
  })
  // A warning is of what a client should do, or of a slow machine.
  const lines = words.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)
  const results = [...lines].map(
    ([, name, passed, failed]) => [name, Number(passed) > 0 && failed === '0' ? 'pass' : 'fail'] as const,
  )
  return { results: Object.fromEntries(results), words }
}

/** The version of the suite that the page names, and the scenarios that it says pass. */
async function promised(): Promise<{ readonly version: string; readonly results: Results }> {
  const page = await readFile(PAGE, 'utf8')
  const [, version = '', names = ''] = /conformance\/v\/([\d.]+)\),([^.]*) pass\./.exec(page) ?? []
  const passing = [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, 'pass'] as const)
  const failing = needElicitationOrOAuth.map(name => [name, 'fail'] as const)
  return { version, results: Object.fromEntries([...passing, ...failing]) }
}

// EVIDENCE-OF docs/guides/mcp.md: The other 22 ask for elicitation or OAuth, and fail.
// EVIDENCE-OF docs/guides/mcp.md: | answers 401 or 403 |
// EVIDENCE-OF docs/guides/mcp.md: | asks for an answer of the user (elicitation) or a reply of the agent's model (sampling) |
test('the scenarios of the conformance suite pass and fail as the page says', async () => {
  const { version, results: expected } = await promised()
  const { results, words } = await judged(version)
  expect(results, words).toEqual(expected)
})
