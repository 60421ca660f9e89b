import { isObject, type JsonObject, membersOf, parseJson } from '@agent-task-service/wire/untrusted'

export { isObject, type JsonObject, parseJson }

/** Parses a JSON object; an empty one if the text is not one. */
export function objectIn(text: string): JsonObject {
  return membersOf(parseJson(text))
}

/** The string itself; '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text that a reply shows its reader. */
export function shownIn(reply: string): string {
  const { output, error } = objectIn(reply)
  return textOf(output) || textOf(error)
}
