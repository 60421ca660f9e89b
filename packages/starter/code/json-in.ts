import { endOfJson } from '@agent-task-service/wire/untrusted'

/** How many places that look like JSON and are none are tried: each may take as long as the text. */
const MOST_FAILURES = 50

interface FoundJson {
  readonly values: readonly unknown[]
  /** The text around them. */
  readonly rest: string
  /** Whether other lines begin like JSON. */
  readonly isBroken: boolean
}

/** The objects and arrays of JSON in a text, each from the beginning of a line. Numbers of more than 15 digits are texts. */
export function jsonIn(text: string): FoundJson {
  const values: unknown[] = []
  const rest: string[] = []
  let behind = 0
  const begins = /^[ \t]*(?=[[{])/gm
  let failures = 0
  while (failures < MOST_FAILURES && begins.test(text)) {
    const at = begins.lastIndex
    const end = endOfJson(text, at) ?? text.length
    try {
      values.push(JSON.parse(text.slice(at, end), exactNumber))
      rest.push(text.slice(behind, at))
      behind = end
      begins.lastIndex = end
    } catch {
      failures += 1
      begins.lastIndex = at + 1
    }
  }
  return { values, rest: [...rest, text.slice(behind)].join(''), isBroken: failures > 0 }
}

function exactNumber(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  const isLong = typeof value === 'number' && Number(value.toPrecision(15)) !== value
  return isLong ? source : value
}
