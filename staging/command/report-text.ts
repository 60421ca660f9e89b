import { styleText } from 'node:util'
import { type Assertion, kindsOf, type Report } from '../report.ts'

type Format = Parameters<typeof styleText>[0]

const INDENT = '      '
/** Maximum number of ids of one kind in the summary; the report above lists them all. */
const SHOWN_IDS = 20

/**
 * The report so far, for people: a line for each assertion; for a failure also the detail, why it matters and how
 * to reproduce it. An earlier text is a prefix of every later one.
 */
export function reportText({ groups }: Report, { color }: { color: boolean }): string {
  const paint = painter(color)
  return groups
    .filter(({ state }) => state !== 'waiting')
    .map(({ title, assertions }) => {
      const lines = assertions.map((one, index) => lineOf(one, assertions.slice(0, index), paint))
      return [paint('bold', title), ...lines].join('')
    })
    .join('\n\n')
}

/** @param before the lines above; an assertion that could not run for the same reason as the last one adds only its id */
function lineOf(
  { id, title, verdict, mandatory, detail, why, how }: Assertion,
  before: readonly Assertion[],
  paint: Paint,
): string {
  const last = before.at(-1)
  if (verdict === 'not_run' && last?.verdict === 'not_run' && last.detail === detail) {
    const isSecond = before.at(-2)?.detail !== detail
    return paint('dim', `${isSecond ? `\n${INDENT}likewise: ` : ', '}${id}`)
  }
  const [mark, format] = markOf(verdict, mandatory)
  const kind = mandatory ? '' : ' (advisory)'
  const line = `\n  ${paint(format, mark)} ${title} ${paint('dim', id + kind)}`
  if (verdict === 'pass') return line
  if (verdict === 'not_run') return `${line}\n${INDENT}not run: ${detail}`
  return [
    line,
    `${INDENT}${paint(format, detail ?? '')}`,
    `${INDENT}why: ${why}`,
    `${INDENT}see: ${how.replaceAll('\n', `\n${INDENT}     `)}`,
  ].join('\n')
}

function markOf(verdict: Assertion['verdict'], mandatory: boolean): [mark: string, format: Format] {
  if (verdict === 'pass') return ['✓', 'green']
  if (verdict === 'not_run') return ['?', mandatory ? 'yellow' : 'dim']
  return mandatory ? ['✗', 'red'] : ['!', 'yellow']
}

export function summaryText(report: Report, { color }: { color: boolean }): string {
  const paint = painter(color)
  const { verdict, requests, url, startedAt, finishedAt, unseen = [] } = report
  const assertions = report.groups.flatMap(group => group.assertions)
  const passed = assertions.filter(one => one.verdict === 'pass').length
  const seconds = (Date.parse(finishedAt ?? startedAt) - Date.parse(startedAt)) / 1000
  return [
    headline(verdict, paint),
    `${passed} of ${assertions.length} assertions hold; ${requests} requests to ${url} in ${seconds} s`,
    ...kindsOf(assertions).map(({ words, all }) => `${words}: ${some(all.map(({ id }) => id))}`),
    ...(unseen.length > 0 && requests > 0 ? [`not seen from outside: ${unseen.join('; ')}`] : []),
  ].join('\n')
}

function some(ids: readonly string[]): string {
  const more = ids.length - SHOWN_IDS
  return more > 0 ? `${ids.slice(0, SHOWN_IDS).join(', ')} and ${more} more` : ids.join(', ')
}

function headline(verdict: Report['verdict'], paint: Paint): string {
  if (verdict === 'passed') return paint(['green', 'bold'], 'PASSED: everything mandatory holds')
  if (verdict === 'failed') return paint(['red', 'bold'], 'FAILED: something mandatory does not hold')
  const text = 'INCOMPLETE: nothing mandatory failed, but something mandatory could not run'
  return paint(['yellow', 'bold'], text)
}

type Paint = (format: Format, text: string) => string

function painter(color: boolean): Paint {
  return (format, text) => (color ? styleText(format, text, { validateStream: false }) : text)
}
