import { parseJson } from '@agent-task-service/wire/untrusted'
import { withMathAsText } from './math-text.ts'
import type { Block } from './passages.ts'
import { plainLine } from './plain-text.ts'

/** What pages describe for search engines, often cleaner than their own text: schema.org's types. */
const TYPE = /^(?:https?:\/\/schema\.org\/)?(?:Question|Product|Recipe|\w*Event|\w*Article|BlogPosting)$/
/** Members whose name adds nothing to their value. */
const PLAIN = /^(?:name|headline|text|value|acceptedAnswer|articleBody|description)$/
const MAX_DEPTH = 8
const MAX_VALUE = 20_000
const MAX_PROPERTY = 1_000
/** Each is compared with the page's text. */
const MAX_BLOCKS = 300

/** The text of a page's JSON-LD. A script that is not JSON, or is cut, has none. */
export function structuredBlocks(scripts: readonly string[]): Block[] {
  return scripts.flatMap(script => blocksIn(parseJson(script), 0)).slice(0, MAX_BLOCKS)
}

function blocksIn(value: unknown, depth: number): Block[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  const node = value as Readonly<Record<string, unknown>>
  if (![node['@type']].flat().some(type => TYPE.test(`${type}`)))
    return Object.values(node).flatMap(member => blocksIn(member, depth + 1))
  const { name = node.headline, ...members } = node
  const heading = wordsOf(name, depth).slice(0, 150)
  return Object.entries(members).flatMap(([key, member]) => {
    const text = key === 'headline' ? '' : named(key, wordsOf(member, depth + 1), ': ')
    return text === '' ? [] : [{ heading, text }]
  })
}

/** A property that an element's attributes state, such as `price: 9.90`. */
export function described(property: string, value: string): string {
  return named(property, wordsOf(value.slice(0, MAX_PROPERTY), 0), ': ')
}

/** A value in words: members of an object and elements of a list side by side, without addresses. */
function wordsOf(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return ''
  if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value)
    const parts = Object.entries(value).map(([key, member]) => {
      const words = wordsOf(member, depth + 1)
      return isList ? words : named(key, words, ' ')
    })
    return parts.filter(Boolean).join(isList ? '; ' : ', ')
  }
  if (typeof value !== 'string') return typeof value === 'number' ? `${value}` : ''
  const [, constant] = /^https?:\/\/schema\.org\/(\w+)$/.exec(value) ?? []
  return constant ?? (/^https?:\/\/\S+$/.test(value) ? '' : plainLine(withMathAsText(value), MAX_VALUE))
}

export function named(key: string, text: string, separator: string): string {
  if (text === '' || key.startsWith('@')) return ''
  if (PLAIN.test(key)) return text
  // As people write it, so that a query finds it.
  return `${key.replace(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`)}${separator}${text}`
}
