import type { Config } from './config.ts'

/** Printed to a terminal at start: the address, the model and a task to try. Never a token. */
export function greeting(
  port: number,
  models: readonly string[],
  { tokens }: Pick<Config, 'tokens'>,
): string {
  const bearer = tokens.length > 0 ? " -H 'Authorization: Bearer <one of AGENT_TOKENS>'" : ''
  return `
The agent listens on http://localhost:${port} until Ctrl-C. Model: ${models.join(', then ')}. Try it:

  curl -s localhost:${port}/run${bearer} -H 'Content-Type: application/json' \\
    -d '{"task_id": "test-1", "input": "What is 15% of 240?"}'

`
}
