import type { Tool } from './tool.ts'

/** The declared secrets of a tool that have no value. */
export function missingSecrets({ secrets = [] }: Tool, values: Readonly<Record<string, string>>): string[] {
  return secrets.filter(name => values[name] === undefined)
}

/** The same tool with the values of its own secrets at hand, and of no other's. */
export function withSecrets(tool: Tool, values: Readonly<Record<string, string>>): Tool {
  if (tool.secrets === undefined) return tool
  const secrets = Object.fromEntries(tool.secrets.map(name => [name, values[name] ?? '']))
  return { ...tool, run: (args, context) => tool.run(args, { ...context, secrets }) }
}
