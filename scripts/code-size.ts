/**
 * Holds the code of `packages/`, without tests and templates, to a written figure: `npm run code-size`. It counts tokens, since lines
 * can be made fewer by making them dense. `-- --write` lowers the figure. More code asks for one of `raises` in code-size.json, which
 * says what a user can now do.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'

export interface Limit {
  readonly tokens: number
  /** What is allowed besides. */
  readonly raises: readonly { readonly tokens: number; readonly userCan: string }[]
}

const FILE = 'scripts/code-size.json'
/** Tokens by which the code may shrink before the figure has to follow. */
const SLACK = 1000
const LEFT_OUT = /\/node_modules\/|^packages\/(test-support|create\/templates|[^/]+\/test)\//
const { CommaToken, SemicolonToken, EndOfFileToken } = ts.SyntaxKind

/** Without comments, and without commas and semicolons, whose number depends on where lines end. */
export function tokensIn(code: string, path: string): number {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest)
  const count = (node: ts.Node): number => {
    if (ts.isJSDoc(node)) return 0
    const parts = node.getChildren(file)
    return parts.length > 0 ? sumOf(parts.map(count)) : Number(isCounted(node))
  }
  return count(file)
}

function isCounted(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return !node.containsOnlyTriviaWhiteSpaces
  return ts.isTokenKind(node.kind) && ![CommaToken, SemicolonToken, EndOfFileToken].includes(node.kind)
}

/** @throws if the code is larger than allowed, or so much smaller that the figure has to follow */
export function checkSize(tokens: number, limit: Limit): void {
  const unexplained = limit.raises.find(({ userCan }) => userCan.trim() === '')
  if (unexplained) throw new Error(`expected what a user can now do by ${unexplained.tokens} tokens, got ''`)
  const allowed = limit.tokens + raised(limit)
  const found = `expected ${allowed} tokens of code in packages/, got ${tokens}`
  if (tokens > allowed) throw new Error(`${found}: remove some, or say in ${FILE} what a user can now do`)
  if (tokens < allowed - SLACK) throw new Error(`${found}: npm run code-size -- --write`)
}

const raised = ({ raises }: Limit) => sumOf(raises.map(({ tokens }) => tokens))

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

if (import.meta.main) {
  const files = globSync('packages/**/*.{js,ts,tsx}').filter(path => !LEFT_OUT.test(path))
  const tokens = sumOf(files.map(path => tokensIn(readFileSync(path, 'utf8'), path)))
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md'])
  const markdown = sumOf(pages.map(path => readFileSync(path).length))
  process.stdout.write(
    `${tokens} tokens of code in packages/, ${Math.round(markdown / 1000)} kB of Markdown\n`,
  )
  let limit: Limit = JSON.parse(readFileSync(FILE, 'utf8'))
  if (process.argv.includes('--write')) {
    limit = { ...limit, tokens: Math.min(limit.tokens, tokens - raised(limit)) }
    writeFileSync(FILE, `${JSON.stringify(limit, null, 2)}\n`)
  }
  checkSize(tokens, limit)
}
