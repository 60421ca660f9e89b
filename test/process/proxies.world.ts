import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { startCollector } from '@agent-task-service/test-support/collector'
import { startLangSmith } from '@agent-task-service/test-support/langsmith-server'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { mcpFile } from '@agent-task-service/test-support/mcp/service'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { expect, onTestFinished, test } from 'vitest'
import { useProxies } from '../../packages/engine/config/proxies.ts'
import { forwardProxy } from './forward-proxy.ts'

/** The same port at a host that only a proxy knows. */
const elsewhere = (url: string) => url.replace('127.0.0.1', 'outside.invalid')
const task = { task_id: 'test-1', input: 'Hello' }

async function modelServer() {
  const { env, requests } = await openAIServer(() => says('Here.'))
  return { env, requests, away: { ...env, OPENAI_BASE_URL: elsewhere(env.OPENAI_BASE_URL) } }
}

// EVIDENCE-OF docs/configuration.md: | `HTTP_PROXY` |
test('a model is asked through HTTP_PROXY, in lower case too; its password is in no log', async () => {
  const [proxy, { away }] = await Promise.all([forwardProxy(), modelServer()])
  const http_proxy = proxy.url.replace('//', '//me:hunter2-hunter2@')
  const { post, output, errors } = await startProcess({ ...away, http_proxy, LOG_LEVEL: 'trace' })
  expect(await (await post(task)).json()).toMatchObject({ status: 'success', output: 'Here.' })
  expect(proxy.asked).toEqual([`POST ${away.OPENAI_BASE_URL}/chat/completions`])
  const credentials = Buffer.from('me:hunter2-hunter2').toString('base64')
  expect(proxy.headers[0]).toMatchObject({ 'proxy-authorization': `Basic ${credentials}` })
  expect(output.join() + errors()).not.toMatch(/hunter2|proxy-authorization/i)
})

// EVIDENCE-OF docs/configuration.md: | `HTTPS_PROXY` |
test('an https address is reached through HTTPS_PROXY by a tunnel, in which TLS begins', async () => {
  const firstByte = Promise.withResolvers<number | undefined>()
  const server = createServer(socket => socket.once('data', data => firstByte.resolve(data[0])))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const proxy = await forwardProxy()
  const base = { OPENAI_API_KEY: 'any-key-will-do', OPENAI_BASE_URL: `https://outside.invalid:${port}/v1` }
  const { post, child } = await startProcess({ ...base, HTTPS_PROXY: proxy.url })
  const posted = post(task).catch(() => undefined)
  // A TLS record of a handshake.
  expect(await firstByte.promise).toBe(22)
  expect(proxy.asked).toEqual([`CONNECT outside.invalid:${port}`])
  child.kill('SIGKILL')
  await posted
})

// EVIDENCE-OF docs/configuration.md: | `NO_PROXY` |
test.each<Record<string, string>>([{}, { NO_PROXY: '127.0.0.1' }, { no_proxy: '*' }])(
  'the address of a model is reached directly with %j',
  async exception => {
    const [proxy, { env, requests }] = await Promise.all([forwardProxy(), modelServer()])
    const proxies = Object.keys(exception).length > 0 && { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
    const { post } = await startProcess({ ...env, ...proxies, ...exception })
    expect(await (await post(task)).json()).toMatchObject({ status: 'success' })
    expect([requests.length, proxy.asked]).toEqual([1, []])
  },
)

// EVIDENCE-OF docs/configuration.md: | `HTTP_PROXY` |
test('traces, metrics, LangSmith and MCP servers go through the proxy', async () => {
  const [proxy, { env }, collector, langSmith, peer] = await Promise.all([
    forwardProxy(),
    modelServer(),
    startCollector(),
    startLangSmith(),
    httpPeer({}),
  ])
  const { post, line, child, exited } = await startProcess({
    ...env,
    ...collector.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: elsewhere(collector.url),
    ...langSmith.env,
    LANGSMITH_ENDPOINT: elsewhere(langSmith.url),
    MCP_CONFIG: await mcpFile({ two: { url: elsewhere(peer.url) } }),
    HTTP_PROXY: proxy.url,
    NO_PROXY: '127.0.0.1',
  })
  await line(({ msg }) => msg === 'mcp server connected')
  expect(await (await post(task)).json()).toMatchObject({ status: 'success' })
  child.kill('SIGTERM')
  await exited
  const paths = collector.requests.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['/v1/traces', '/v1/metrics']))
  expect(langSmith.requests.map(({ path }) => path)).toContain('/runs/multipart')
  const hosts = proxy.asked.join('\n')
  for (const { url } of [collector, langSmith, peer]) expect(hosts).toContain(new URL(elsewhere(url)).host)
})

test('other chat classes go through the proxy too, since they use fetch', async () => {
  const [proxy, { away, requests }] = await Promise.all([forwardProxy(), modelServer()])
  onTestFinished(useProxies({ HTTP_PROXY: proxy.url, NO_PROXY: 'other.invalid' }))
  const reply = await fetch(`${away.OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    body: '{"messages":[]}',
  })
  expect(await reply.json()).toMatchObject({ object: 'chat.completion' })
  expect([proxy.asked.length, requests.length]).toEqual([1, 1])
  await expect(fetch('http://other.invalid/')).rejects.toThrow('fetch failed')
})
