import { readFileSync } from 'node:fs'
import { searchVariables as variables } from '../../packages/tools/web-search/settings.ts'
import { configTable } from '../../scripts/config-table.ts'

/** The tests that prove a page's promises: each promise as the page words it, and `file: title` of its tests. */
export type Proofs = Readonly<Record<string, readonly string[]>>

/** A sentence with one of these is a promise. */
const BINDING = /\b(never|always|at most|no longer|nobody|whatever|none of)\b/i
/** So is one with a limit. */
const LIMIT =
  /\b(up to|within|after|for|longer than|larger than|more than|every|exceeds?) (\$?\d[\d,.]*|ten|two|three|eight|five) ?(s|ms|seconds?|minutes?|MB|kB|GB|characters|bytes|levels|values|steps|tokens|%|times|callers)\b/

/**
 * The promises of a page: sentences that bind or limit, and bold words other than names of files.
 *
 * @param tables whether each row of its tables is a promise, by the name in its first column
 */
export function promisesOf(page: string, tables = false): string[] {
  const text = readFileSync(page, 'utf8')
    // Without variables that the owner has added.
    .replace(/<!-- configuration -->.*<!-- \/configuration -->/s, () => configTable(variables))
    .replace(/```.*?```/gs, '')
    .replace(/<!--.*?-->/gs, '')
  const blocks = text.split(/\n\s*\n|\n(?=[|\-#])/).map(block => block.replace(/\s+/g, ' ').trim())
  const sentences = blocks.flatMap(block => block.split(/ \| |(?<=[.!?]) /)).map(plain)
  const bold = [...text.matchAll(/\*\*(?!`)([^*\n]+?)\*\*(?!`)/g)].map(([, words = '']) => plain(words))
  // A table's first row is its head, the second a rule.
  const rows = blocks.filter(
    (block, at) => tables && /^\| (?!---)/.test(block) && !/^\| ---/.test(blocks[at + 1] ?? ''),
  )
  // Under a name that several rows share, the next cell tells them apart.
  const names = rows.map(
    row =>
      row
        .split(' | ')
        .map(plain)
        .find(cell => cell !== '')!,
  )
  return [...new Set([...sentences.filter(isPromise), ...bold.filter(words => words.length > 1), ...names])]
}

function isPromise(sentence: string): boolean {
  return BINDING.test(sentence) || LIMIT.test(sentence)
}

/** Without Markdown's marks and a table's bars. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*/g, '')
    .replace(/^[|\-#\s]+|[|\s]+$/g, '')
    .replace(/\s+/g, ' ')
}
