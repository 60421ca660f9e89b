/** What a page promises, and the tests that it names as proofs, in comments beside the promise. */

/** A sentence with one of these is a promise. */
const BINDING = /\b(never|always|at most|no longer|nobody|whatever|none of)\b/i
/** So is one with a limit. */
const LIMIT =
  /\b(up to|within|after|for|longer than|larger than|more than|every|exceeds?) (\$?\d[\d,.]*|ten|two|three|eight|five) ?(s|ms|seconds?|minutes?|MB|kB|GB|characters|bytes|levels|values|steps|tokens|%|times|callers)\b/
/** And bold words other than names of files. */
const BOLD = /\*\*(?!`)[^*]{2,}\*\*(?!`)/

export interface Proof {
  /** What it proves in a generated table. */
  readonly of: string | undefined
  /** `file: title`. */
  readonly test: string
}

/** What a text names in comments: `<!-- proof: file: title -->`, or `<!-- proof of NAME: file: title -->`. */
export function proofsIn(text: string): Proof[] {
  const found = text.matchAll(/<!-- proof(?: of (\S+))?: (\S+: .+?) -->/g)
  return [...found].map(([, of, test = '']) => ({ of, test }))
}

/**
 * The paragraphs, list items and table rows of a page that bind or limit, with their comments.
 *
 * @param tables whether each row of its tables is a promise
 */
export function promisesIn(page: string, tables: boolean): string[] {
  // A generated table is one promise: the comments below it stay when it is written anew.
  const text = page.replace(/<!-- (\w+) -->\n.*<!-- \/\1 -->/gs, '**$1**').replace(/^ *```.*?```$/gms, '')
  const blocks = text.split(/\n\s*\n|\n(?= *(?:[|#]|- |\d+\. ))/).map(block => block.trim())
  // A table's first row is its head, the second a rule.
  const isRow = (at: number) => /^\| (?!---)/.test(blocks[at]!) && !/^\| ---/.test(blocks[at + 1] ?? '')
  return blocks.filter((block, at) => isPromise(block) || (tables && isRow(at)))
}

function isPromise(block: string): boolean {
  const text = withoutComments(block).replace(/\s+/g, ' ')
  return BINDING.test(text) || LIMIT.test(text) || BOLD.test(text)
}

export function withoutComments(text: string): string {
  return text.replace(/<!--.*?-->/gs, '')
}
