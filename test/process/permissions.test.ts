import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { some } from '../support/at-length.ts'
import { startCollector } from '../support/collector.ts'
import { httpPeer } from '../support/mcp/http-peer.ts'
import { program } from '../support/mcp/started.ts'
import { probe, RESTRICTED } from '../support/permission-probe.ts'
import { PROCESS_ENTRY, startProcess, type TestProcess } from '../support/process.ts'

const TASK = { task_id: 'test-1', input: 'What is 15% of 240?' }

/** The image's Node arguments, for the folder of the process under test. */
const dockerfile = await readFile('Dockerfile', 'utf8')
const [, command = ''] = /^CMD (\["node", "--permission"[^\]]*\])/m.exec(dockerfile) ?? []
const flags = (JSON.parse(command.replaceAll('\\\n', '')) as string[])
  .slice(1, -1)
  .map(flag => flag.replace('/app', dirname(PROCESS_ENTRY)))

async function startAsImage(env: Record<string, string> = {}): Promise<TestProcess> {
  return await startProcess(env, [...flags, ...probe(dirname(PROCESS_ENTRY))])
}

async function probed({ child, line }: TestProcess) {
  child.kill('SIGUSR2')
  return await line(({ msg }) => msg === 'probe')
}

async function mcpFile(mcpServers: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // As Kubernetes mounts it.
  await writeFile(join(folder, '..data.json'), JSON.stringify({ mcpServers }))
  const path = join(folder, 'mcp.json')
  await symlink('..data.json', path)
  return path
}

test('restricted as in the image, it reads its own folder, writes nothing, starts no programs, and still works', async () => {
  const service = await startAsImage()
  expect(await probed(service)).toMatchObject(RESTRICTED)
  expect(await (await service.post(TASK)).json()).toMatchObject({ output: '15% of 240 = 36' })
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect(service.errors()).toBe('')
})

test.each(some(['http/protobuf', 'http/json'], 2))('telemetry does not change that: %s', async protocol => {
  const collector = await startCollector()
  const service = await startAsImage({ ...collector.env, OTEL_EXPORTER_OTLP_PROTOCOL: protocol })
  expect(await (await service.post(TASK)).json()).toMatchObject({ status: 'success' })
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect(collector.requests.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces'])
  expect(service.errors()).toBe('')
})

test('MCP servers at an address: their file may be anywhere, and nothing more is allowed', async () => {
  const peer = await httpPeer({})
  const path = await mcpFile({ shop: { url: peer.url } })
  const service = await startAsImage({ MCP_CONFIG: path })
  expect(await service.line(({ msg }) => msg === 'mcp server connected')).toMatchObject({ server: 'shop' })
  expect(await probed(service)).toMatchObject(RESTRICTED)
})

test('MCP servers that are programs lift the restrictions, and the log says so', async () => {
  const { command, args } = program('one')
  const path = await mcpFile({ one: { command, args } })
  const service = await startAsImage({ MCP_CONFIG: path, PATH: process.env.PATH ?? '' })
  expect(await service.line(({ msg }) => msg === 'mcp server connected')).toMatchObject({ server: 'one' })
  expect(JSON.parse(service.output[0] ?? '')).toMatchObject({
    level: 'warn',
    msg: "MCP servers are programs: Node's permission model is off",
  })
  const { pid, ...may } = await probed(service)
  expect(may).toMatchObject({ elsewhere: true, write: true, child: true })
  // The container runtime knows the process by its id.
  expect(pid).toBe(service.child.pid)
})
