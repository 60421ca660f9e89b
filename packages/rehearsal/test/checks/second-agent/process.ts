import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import type { AgentSettings, SecondAgent } from './second-agent.ts'

/** Serves an agent until SIGTERM: `--port` (8080), tokens in `AGENT_TOKENS`, the log on standard output. */
export function runAgent(
  Agent: new (settings: AgentSettings) => SecondAgent,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  host?: string,
): void {
  const { values } = parseArgs({ args: [...args], options: { port: { type: 'string', default: '8080' } } })
  const tokens = (environment.AGENT_TOKENS ?? '').split(',').filter(token => token !== '')
  const log = (line: string) => void process.stdout.write(`${line}\n`)
  const agent = new Agent({ tokens, log, environment })
  const server = agent.server().listen(Number(values.port), host, () => {
    agent.log('listening', { port: (server.address() as AddressInfo).port })
  })
  process.once('SIGTERM', () => {
    agent.log('ending', {})
    server.close()
  })
}
