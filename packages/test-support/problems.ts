import { SetupError } from '@agent-task-service/engine/config'
import { expect } from 'vitest'
import { readConfig } from './read-config.ts'

export type Variables = Record<string, string>

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
