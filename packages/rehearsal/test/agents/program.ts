import { heldPort } from '@agent-task-service/test-support/held-port'
import { shellQuoted } from '../../curl.ts'

/** A command line that runs a program in Node, with its port as `port`. */
export async function program(
  code: string,
): Promise<{ url: string; command: string; environment: NodeJS.ProcessEnv }> {
  const port = await heldPort()
  const command = `${shellQuoted(process.execPath)} -e ${shellQuoted(`const port = ${port};${code}`)}`
  return {
    url: `http://127.0.0.1:${port}`,
    command,
    environment: { MY_API_KEY: 'a-real-key-of-mine', HOME: '/root' },
  }
}

/** Answers everything with `{}`, and prints its environment. */
export const HEALTHY = `
  const server = require('node:http').createServer((_request, response) => response.end('{}'))
  server.listen(port, '127.0.0.1', () => console.log(JSON.stringify(process.env)))
  console.error('on standard error')`
