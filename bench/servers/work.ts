/** What all servers in the comparison share: prompt, tools and the model's address. */
import type { AddressInfo } from 'node:net'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { DEFAULT_SYSTEM_PROMPT, systemPromptFor } from '../../graph/prompts.ts'
import { createTools } from '../../tools/create-tools.ts'

export const tools = createTools({
  search: { engines: [{ provider: 'wikipedia', url: 'https://en.wikipedia.org' }] },
}) as StructuredToolInterface[]
export const systemPrompt = systemPromptFor({ systemPrompt: DEFAULT_SYSTEM_PROMPT, tools }, {})
/** The tools in OpenAI's format. */
export const definitions = tools.map(tool => convertToOpenAITool(tool))
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

export async function callTool(name: string, args: object): Promise<string> {
  const tool = tools.find(each => each.name === name)
  return tool ? await tool.invoke(args) : `there is no tool ${name}`
}

/** Prints the port, for the process that started this one. */
export function tellPort(server: { address(): AddressInfo | string | null }): void {
  process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`)
}
