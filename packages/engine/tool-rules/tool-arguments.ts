import type { ArgumentsSchema } from '@agent-task-service/openai-compatible/arguments'

export type { ArgumentsSchema }

/** A call as it should be: `convert({"amount": number, "unit": "km" | "mi"})`. */
export function callForm(name: string, { properties = {}, required = [] }: ArgumentsSchema): string {
  const members = required.map(member => {
    const { type = 'any', enum: choices } = properties[member] ?? {}
    const shown = Array.isArray(choices) ? choices.map(choice => JSON.stringify(choice)).join(' | ') : type
    return `"${member}": ${shown}`
  })
  return `${name}({${members.join(', ')}})`
}
