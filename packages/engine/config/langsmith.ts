/** The variables of LangSmith, under its own names. */
import { z } from 'zod'
import { flag, freeText, httpUrl, number, secret } from './setting.ts'

export const langSmithVariables = z.object({
  LANGSMITH_TRACING: flag.default(false).describe('`true`: send runs to LangSmith'),
  LANGSMITH_API_KEY: secret().optional().describe('Key for LangSmith'),
  LANGSMITH_ENDPOINT: httpUrl.default('https://api.smith.langchain.com').describe("LangSmith's API"),
  LANGSMITH_PROJECT: freeText.default('default').describe('Project that the runs are filed under'),
  LANGSMITH_TRACING_SAMPLING_RATE: number(0, 1)
    .optional()
    .describe('Share of runs to send, 0 to 1; unset: all'),
})

export type LangSmithSettings = z.output<typeof langSmithVariables>

/** LangChain would trace by its earlier names too, but without masking or bounds. */
export function earlierNames(variables: NodeJS.Dict<string>): string[] {
  const names = ['LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGCHAIN_TRACING']
  return names
    .filter(name => variables[name]?.trim() === 'true')
    .map(name => `${name}: expected LANGSMITH_TRACING in its place`)
}
