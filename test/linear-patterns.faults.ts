import { globSync, readFileSync } from 'node:fs'
import { isAtLength, some } from '@agent-task-service/test-support/at-length'
import { check, type Parameters } from 'recheck'
import ts from 'typescript'
import { expect, test } from 'vitest'

/**
 * Patterns that may take longer than in proportion to their text, since it is short: by file, and by how the pattern begins.
 */
const CUT_BEFORE: readonly (readonly [file: string, pattern: string, why: string])[] = [
  [
    'packages/starter/offline-model/',
    '',
    'questions.ts reads texts of at most 4,000 characters, questions of 500',
  ],
  ['packages/starter/offline-model/offline-model.ts', '\\s*\\S+', 'the text ends with a word'],
  ['packages/openai-compatible/model.ts', '(\\/chat\\/completions|', 'the operator sets it'],
  ['packages/messages/asked.ts', '', 'it reads 220 characters before a name, and 220 behind it'],
  ['packages/engine/run/node-tracker.ts', '(\\|\\d+)*', 'LangGraph makes it of the names of nodes'],
  [
    'packages/starter/calculator/',
    '',
    'calculator.ts takes at most 1,000 characters, or a list of 1,000 plain numbers',
  ],
  ['packages/starter/time/', '', 'texts of dates are at most 100 characters'],
  ['packages/starter/web-search/engine.ts', '\\/+$', 'the operator sets it'],
  ['packages/starter/web-search/charset.ts', 'charset', 'it reads 500 characters of an attribute'],
  ['packages/starter/web-search/raised-text.ts', '\\p{L}+$', 'it reads 60 characters before a mark'],
  [
    'packages/starter/web-search/raised-text.ts',
    '(?:(\\p{L}{2,})\\s)',
    'it reads 60 characters before a mark',
  ],
  [
    'packages/starter/web-search/raised-text.ts',
    '(?<!\\p{L})(?:[A-Z]',
    'it reads 60 characters before a mark',
  ],
  ['packages/starter/web-search/html-reader.ts', 'text-decoration', 'it reads 1,000 characters of a style'],
  ['packages/starter/web-search/math-text.ts', '[\\^_]\\S*$', 'it reads the last 40 characters of a part'],
  ['packages/cli/modules/rules.ts', '(?<!(?:\\*', "it reads modules of the agent's owner"],
  ['packages/rehearsal/command/command-options.ts', ' *, *', 'the user of the command types it'],
  ['packages/rehearsal/checks/groups/input.ts', '^[ \\t]{1,40}at', 'each repetition has a limit'],
  ['packages/rehearsal/checks/groups/input.ts', '(?:\\/[\\w.@-]{1,80})', 'each repetition has a limit'],
  ['packages/rehearsal/agents/agent-client.ts', '\\/+$', 'the user of the rehearsal types it'],
]

interface Pattern {
  readonly file: string
  readonly source: string
  readonly flags: string
}

function patternsIn(file: string): Pattern[] {
  const found: Pattern[] = []
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, kind))
  return found
}

/**
 * Every pattern that is found vulnerable at all is found within 0.7 s, and few take longer: the sample gives each twice that.
 */
const LIMITS: Parameters = isAtLength
  ? { timeout: 30_000, attackTimeout: null, maxAttackStringSize: 50_000, attackLimit: 100_000_000 }
  : { checker: 'automaton', timeout: 1_500 }

test('every pattern takes time in proportion to its text, or its text is cut before', async () => {
  const patterns = globSync('{graph,src,tools,packages,evaluation}/**/*.{ts,tsx}', {
    exclude: ['packages/*/test', 'packages/test-support'],
  }).flatMap(patternsIn)
  expect(patterns.length).toBeGreaterThan(200)
  for (const [where, start] of CUT_BEFORE)
    expect(patterns.some(({ file, source }) => file.startsWith(where) && source.startsWith(start))).toBe(true)
  const uncut = patterns.filter(
    ({ file, source }) =>
      !CUT_BEFORE.some(([where, start]) => file.startsWith(where) && source.startsWith(start)),
  )
  const judged: [status: string, Pattern][] = []
  for (const pattern of some(uncut, 4))
    judged.push([(await check(pattern.source, pattern.flags, LIMITS)).status, pattern])
  const vulnerable = judged.filter(([status]) => status === 'vulnerable')
  expect(vulnerable.map(([, { file, source, flags }]) => `${file}: /${source}/${flags}`)).toEqual([])
  const safe = judged.filter(([status]) => status === 'safe')
  expect(safe.length).toBeGreaterThan(0.7 * judged.length)
})
