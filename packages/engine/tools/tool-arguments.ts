import type { ArgumentsSchema } from '@agent-task-service/messages/arguments'

export type { ArgumentsSchema }

/**
 * A call as it should be: `convert({"amount": number, "unit": "km" | "mi"})`.
 *
 * @param given members of the call that was made: optional ones are shown too
 */
export function callForm(
  name: string,
  { properties = {}, required = [] }: ArgumentsSchema,
  given: readonly string[] = [],
): string {
  const shown = new Set([...required, ...given.filter(member => Object.hasOwn(properties, member))])
  const members = [...shown].map(member => {
    const { type = 'any', enum: choices } = properties[member] ?? {}
    const kind = Array.isArray(choices) ? choices.map(choice => JSON.stringify(choice)).join(' | ') : type
    return `"${member}": ${kind}`
  })
  return `${name}({${members.join(', ')}})`
}
