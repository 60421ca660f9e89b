import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { onTestFinished } from 'vitest'
import { type ServiceOptions, type TestService, testService } from '../service.ts'
import { until } from '../until.ts'

/** The path of an `mcp.json` with this content, until the test ends. */
export async function mcpFileWith(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'mcp.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** The path of an `mcp.json` with these servers. */
export const mcpFile = (mcpServers: unknown) => mcpFileWith({ mcpServers })

/** A service with these MCP servers, of which one is connected; closes after the test. */
export async function mcpService(
  mcpServers: object,
  env: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService> {
  const service = await startedService(mcpServers, env, options)
  // On a busy machine the start may not have waited for it.
  await until(() => service.lines.some(({ msg }) => msg === 'mcp server connected'))
  return service
}

async function startedService(mcpServers: object, env: Record<string, string>, options: ServiceOptions) {
  const service = await testService({ ...env, MCP_CONFIG: await mcpFile(mcpServers) }, options)
  onTestFinished(() => service.close())
  return service
}

interface McpTools extends TestService {
  /** What became of servers so far, by the log: `connected two 1`, `lost two`, `failed two`, `not ready two`, `left out two` */
  events(): string[]
  /** Names of the tools that a model is offered now. */
  names(): Promise<string[]>
  /** What the model reads from a call. */
  call(name: string, args?: object, signal?: AbortSignal): Promise<string>
}

/**
 * A service whose only tools are those of MCP servers, and whose model calls what the test says. Each server is connected or has
 * failed; closes after the test.
 */
export async function mcpTools(mcpServers: object, env: Record<string, string> = {}): Promise<McpTools> {
  const service = await startingTools(mcpServers, env)
  const isTried = (name: string) => service.events().some(event => /^(\w+ed) (\S+)/.exec(event)?.[2] === name)
  await until(() => Object.keys(mcpServers).every(isTried))
  return service
}

/** The same, some of whose servers may not be ready. */
export async function startingTools(mcpServers: object, env: Record<string, string> = {}): Promise<McpTools> {
  const calls: { readonly name: string; readonly args: object }[] = []
  const model = new ScriptedModel(({ messages }) => {
    const { type, text } = messages.at(-1)!
    const call = calls[Number(text)]
    return type === 'tool' || !call ? text : { toolCalls: [call] }
  })
  const options = { models: [model.named()], tools: [] }
  const service = await startedService(mcpServers, { LOG_LEVEL: 'debug', ...env }, options)
  const run = async (input: string, signal?: AbortSignal) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ task_id: 'test-1', input })
    const init = { method: 'POST', headers, body, signal: signal ?? null }
    return (await (await service.app.request('/run', init)).json()) as { readonly output: string }
  }
  return {
    ...service,
    events: () => service.lines.flatMap(({ msg, server, tools }) => eventOf(String(msg), server, tools)),
    async names() {
      await run('Which tools are there?')
      return [...model.requests.at(-1)!.tools]
    },
    call: async (name, args = {}, signal) =>
      (await run(String(calls.push({ name, args }) - 1), signal)).output,
  }
}

function eventOf(msg: string, server: unknown, tools: unknown): string[] {
  const [, event] =
    /^mcp (?:server |tools )(connected|changed|lost|failed|not ready|left out)/.exec(msg) ?? []
  return event ? [[event, server, tools].join(' ').trimEnd()] : []
}
