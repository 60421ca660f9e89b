/** What pages promise, and the tests that say which sentence they prove. */
import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { TESTS } from '../../vitest.config.ts'

/** A sentence with one of these is a promise. */
const BINDING = /\b(never|always|at most|no longer|nobody|whatever|none of)\b/i
/** So is one with a limit. */
const LIMIT =
  /\b(up to|within|after|for|longer than|larger than|more than|every|exceeds?) (\$?\d[\d,.]*|ten|two|three|eight|five) ?(s|ms|seconds?|minutes?|MB|kB|GB|characters|bytes|levels|values|steps|tokens|%|times|callers)\b/
/** And bold words other than names of files. */
const BOLD = /\*\*(?!`)[^*]{2,}\*\*(?!`)/

/** `// EVIDENCE-OF docs/page.md: sentence`, or `… docs/page.md [row]: sentence`. */
const EVIDENCE = /\/\/ EVIDENCE-OF (\S+?\.md)(?: \[(.+?)\])?: (.+)/g
/** A line that goes on with the one before. */
const GOES_ON = /\n *\/\/ {3}/g

export interface Evidence {
  readonly page: string
  /** As it stands on the page, but for links and bold type. Of a row in a table, its first cell will do: "| `MODEL` |". */
  readonly sentence: string
  /** `file: title`, or `file: row` for one row of the test's table, as vitest prints it. */
  readonly test: string
}

/** What each test says that it proves, in comments above it. */
export function allEvidence(): Evidence[] {
  return globSync(TESTS.map(folder => `${folder}/**/*.ts`)).flatMap(file => {
    const text = readFileSync(file, 'utf8')
    return text.includes('// EVIDENCE-OF ') ? evidenceIn(file, text) : []
  })
}

function evidenceIn(file: string, text: string): Evidence[] {
  const found: Evidence[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) {
      const comments = node.getFullText().slice(0, node.getLeadingTriviaWidth()).replaceAll(GOES_ON, ' ')
      for (const [, page = '', row, sentence = ''] of comments.matchAll(EVIDENCE))
        found.push({ page, sentence, test: `${file}: ${row ?? titleOf(node.expression)}` })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

/** The title of a test, as in the source. */
function titleOf(call: ts.Expression): string | undefined {
  const title = ts.isCallExpression(call) ? call.arguments[0] : undefined
  if (!title) return undefined
  return ts.isStringLiteralLike(title) ? title.text : title.getText().slice(1, -1)
}

/** A text of Markdown in one line, without links and bold type. */
export function plainText(markdown: string): string {
  const words = markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '')
  return words.replaceAll(/\s+/g, ' ').trim()
}

/**
 * The paragraphs, list items and table rows of a page that bind or limit.
 *
 * @param tables whether each row of its tables is a promise
 */
export function promisesIn(page: string, tables: boolean): string[] {
  // What promises in a generated table has a check of its own.
  const text = page.replace(/<!-- (\w+) -->\n.*<!-- \/\1 -->/gs, '').replace(/^ *```.*?```$/gms, '')
  const blocks = text.split(/\n\s*\n|\n(?= *(?:[|#]|- |\d+\. ))/).map(block => block.trim())
  // A table's first row is its head, the second a rule.
  const isRow = (at: number) => /^\| (?!---)/.test(blocks[at]!) && !/^\| ---/.test(blocks[at + 1] ?? '')
  return blocks.filter((block, at) => isPromise(block) || (tables && isRow(at)))
}

function isPromise(block: string): boolean {
  const text = block.replace(/\s+/g, ' ')
  return BINDING.test(text) || LIMIT.test(text) || BOLD.test(text)
}
