import {
  createPlatform,
  createRedact,
  openStore,
  type PlatformParts,
  type Store,
} from '@agent-task-service/rehearsal/platform'
import { onTestFinished } from 'vitest'

export const STAGING_TOKEN = 'staging-token-of-the-test'
export const AGENT_TOKEN = 'own-token-of-the-agent'

/** A platform without a socket that knows `agent-7`; its database is in memory. */
export function testPlatform({
  url = 'http://127.0.0.1:9',
  file = ':memory:',
  ...parts
}: Partial<PlatformParts> & { url?: string; file?: string } = {}) {
  const redact = createRedact([STAGING_TOKEN, AGENT_TOKEN])
  const store: Store = parts.store ?? openStore(file, redact)
  const platform = createPlatform({
    agents: [{ id: 'agent-7', url, token: AGENT_TOKEN }],
    token: STAGING_TOKEN,
    redact,
    runChecks: () => Promise.reject(new Error('no checks in this test')),
    onFault: error => {
      throw error
    },
    ...parts,
    store,
  })
  onTestFinished(async () => {
    await platform.stop()
    if (parts.store === undefined) store.close()
  })
  const call = (path: string, init: RequestInit = {}) =>
    platform.app.request(path, {
      ...init,
      headers: { authorization: `Bearer ${STAGING_TOKEN}`, ...init.headers },
    })
  const run = (body: unknown, init: RequestInit = {}) =>
    call('/staging/agents/agent-7/run', {
      method: 'POST',
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    })
  /** Calls the API and returns the JSON. */
  const get = async <Answer>(path: string) => (await call(path)).json() as Promise<Answer>
  return { ...platform, store, call, run, get }
}

export const task = (input = 'What is 6 times 7?') => ({ task_id: 'test-1', input })

/** The error message in a response of the platform. */
export async function errorIn(response: Response): Promise<string> {
  return ((await response.json()) as { error: string }).error
}
