import { type Config, readConfig as read } from '@agent-task-service/engine/config'
import { withSecrets } from '@agent-task-service/engine/tool'
import { agent } from './agent/test-agent.ts'

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
