import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

export const mcpFile = (mcpServers: unknown) => mcpFileWith({ mcpServers })

/** A service with these MCP servers, of which one is connected; closes after the test. */
export async function mcpService(
  mcpServers: object,
  env: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService> {
  const service = await testService({ ...env, MCP_CONFIG: await mcpFile(mcpServers) }, options)
  onTestFinished(() => service.close())
  // On a busy machine the start may not have waited for it.
  await until(() => service.lines.some(({ msg }) => msg === 'mcp server connected'))
  return service
}
