/** What the servers that this service is compared with share: a minimal prompt and tool, and the model's address. */
import type { AddressInfo } from 'node:net'

export const prompt = 'You are a helpful assistant.'
/** The tool in OpenAI's format. */
export const definition = {
  type: 'function',
  function: {
    name: 'calculator',
    description: 'Calculates an arithmetic expression.',
    parameters: {
      type: 'object',
      properties: { expression: { type: 'string' } },
      required: ['expression'],
      additionalProperties: false,
    },
  },
} as const
export const model = { name: 'bench', key: 'none', baseUrl: process.env.OPENAI_BASE_URL ?? '' }
export const identity = { status: 'ok', agent_id: 'agent-1', agent_name: 'bench' }

export interface TaskBody {
  readonly task_id: string
  readonly input: string
}

export interface Spent {
  inputTokens: number
  outputTokens: number
  steps: number
}

export function reply({ task_id }: TaskBody, output: string, startedAt: number, spent: Spent) {
  const duration_sec = Math.round(performance.now() - startedAt) / 1000
  const { inputTokens: input_tokens, outputTokens: output_tokens, steps } = spent
  return { task_id, status: 'success', output, metrics: { duration_sec, input_tokens, output_tokens, steps } }
}

/** As this service calculates. */
export { calculate } from '../../tools/calculator.ts'

/** Prints the port, for the process that started this one. */
export function tellPort(server: { address(): AddressInfo | string | null }): void {
  process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`)
}
