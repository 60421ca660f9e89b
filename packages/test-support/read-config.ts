import { type Config, readConfig as read, SetupError } from '@agent-task-service/engine/config'
import { withSecrets } from '@agent-task-service/engine/tool'
import { expect } from 'vitest'
import { agent } from './agent/test-agent.ts'

export type Variables = Record<string, string>

/** The settings of the tests' own agent; with these secrets, it has a tool that declares them. */
export function readConfig(
  variables: Readonly<Record<string, string | undefined>>,
  declared: readonly string[] = [],
): Config {
  const own = {
    ...agent.tools,
    declaring: withSecrets(declared, () => {
      throw new Error('never created')
    }),
  }
  return read(variables, declared.length > 0 ? { ...agent, tools: own } : agent)
}

/** The lines after the first in an environment's error; none if it is valid. */
export function problemsOf(variables: Variables): string[] {
  try {
    readConfig(variables)
  } catch (error) {
    expect(error).toBeInstanceOf(SetupError)
    const [first, ...lines] = (error as Error).message.split('\n')
    expect(first).toBe('the environment is not valid:')
    return lines.map(line => line.trim())
  }
  return []
}
