import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal']

interface Line {
  /** As in the code, with `…` for inserted values; absent if computed. */
  readonly message: string | undefined
  /** Absent if it depends. */
  readonly level: string | undefined
}

/** Every line that the code can write: calls of `log.info(…, 'message')` and the like. */
const written = globSync('{src,graph,tools}/**/*.ts', { cwd: ROOT }).flatMap(path => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return linesIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
})

function linesIn(source: ts.SourceFile): Line[] {
  const lines: Line[] = []
  const visit = (node: ts.Node) => {
    const line = ts.isCallExpression(node) && lineOf(node, source)
    if (line) lines.push(line)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return lines
}

function lineOf(
  { expression, arguments: given }: ts.CallExpression,
  source: ts.SourceFile,
): Line | undefined {
  const isMember = ts.isPropertyAccessExpression(expression) || ts.isElementAccessExpression(expression)
  if (!isMember || !/(?:^|[.#])log$/.test(expression.expression.getText(source))) return undefined
  const level = ts.isPropertyAccessExpression(expression) ? expression.name.text : undefined
  if (level !== undefined && !LEVELS.includes(level)) return undefined
  return { message: messageOf(given.at(-1)), level }
}

function messageOf(argument: ts.Expression | undefined): string | undefined {
  if (argument === undefined) return undefined
  if (ts.isStringLiteralLike(argument)) return argument.text
  if (!ts.isTemplateExpression(argument)) return undefined
  return [argument.head, ...argument.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => text)
    .join('…')
}

/** The rows of the tables of lines: message, level, what it means, what to do. */
const listed = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(row =>
    row
      .slice(1, -1)
      .split(' | ')
      .map(cell => cell.trim()),
  )
  .filter(({ length }) => length === 4)

test('docs/operations.md lists every line that the code can write, and no others', () => {
  const messages = new Set(written.flatMap(({ message }) => (message === undefined ? [] : `\`${message}\``)))
  expect(listed.map(([message]) => message).toSorted()).toEqual([...messages].toSorted())
})

test("only one line carries someone else's message: what a library writes to the console", () => {
  expect(written.filter(({ message }) => message === undefined)).toEqual([
    { message: undefined, level: 'info' },
  ])
})

test("docs/operations.md gives each line's level, its meaning and what to do", () => {
  for (const [message, level = '', meaning, remedy] of listed) {
    const levels = written.filter(line => `\`${line.message}\`` === message).map(line => line.level)
    for (const each of levels) if (each) expect(level.split(', '), message).toContain(`\`${each}\``)
    expect([message, Boolean(level), Boolean(meaning), Boolean(remedy)]).toEqual([message, true, true, true])
  }
})
