// Not by name: a Node that lacks it could not even say which one the checks need.
import util from 'node:util'
import {
  type Assertion,
  assertionsIn,
  estimateText,
  kindsOf,
  meansText,
  passedText,
  type Report,
  toldOf,
} from '../report.ts'

type Format = Parameters<typeof util.styleText>[0]

const INDENT = '      '

/** The report so far, for people: how long it takes, and a line for each assertion. An earlier text is a prefix of every later one. */
export function reportText({ groups, estimate }: Report, { color }: { color: boolean }): string {
  const paint = painter(color)
  return groups
    .filter(({ state }) => state !== 'waiting')
    .map(({ title, assertions, estimate: later }, index) => {
      // It is known once the first group has begun.
      const known = index === 0 ? estimate : later
      const told = known ? [`  ${estimateText(known)}`] : []
      return [paint('bold', title), ...told, ...assertions.map(one => lineOf(one, paint))].join('\n')
    })
    .join('\n\n')
}

function lineOf(assertion: Assertion, paint: Paint): string {
  const { id, verdict, mandatory } = assertion
  const [mark, format] = markOf(verdict, mandatory)
  return `  ${paint(format, mark)} ${toldOf(assertion)} ${paint('dim', mandatory ? id : `${id} (advisory)`)}`
}

function markOf(verdict: Assertion['verdict'], mandatory: boolean): [mark: string, format: Format] {
  if (verdict === 'pass') return ['✓', 'green']
  if (verdict === 'not_run') return ['?', mandatory ? 'yellow' : 'dim']
  return mandatory ? ['✗', 'red'] : ['!', 'yellow']
}

/** The verdict; then whatever did not pass, in full, the most serious last, where a terminal stops. */
export function summaryText(report: Report, { color }: { color: boolean }): string {
  const paint = painter(color)
  const { verdict, requests, url, startedAt, finishedAt, means, unseen = [] } = report
  const assertions = assertionsIn(report.groups)
  const passed = assertions.filter(one => one.verdict === 'pass').length
  const seconds = (Date.parse(finishedAt ?? startedAt) - Date.parse(startedAt)) / 1000
  return [
    headline(verdict, paint),
    ...(report.cause === undefined ? [] : [`likeliest cause: ${report.cause}`]),
    `${passedText(passed, assertions.length)}; ${requests} requests to ${url} in ${seconds} s`,
    ...(means ? [meansText(means)] : []),
    ...(unseen.length > 0 ? [`not seen from outside: ${unseen.join('; ')}`] : []),
    ...kindsOf(assertions)
      .reverse()
      .flatMap(({ words, all }) => [
        `\n${paint('bold', `${words}: ${all.length}`)}`,
        ...all.map((one, index) => explained(one, all[index + 1], paint)),
      ]),
  ].join('\n')
}

/** @param next of several in a row that were not run for the same reason, the last one gives it */
function explained(assertion: Assertion, next: Assertion | undefined, paint: Paint): string {
  const { verdict, detail, why, how } = assertion
  const line = lineOf(assertion, paint)
  if (verdict === 'not_run') return next?.detail === detail ? line : `${line}\n${INDENT}not run: ${detail}`
  return [
    line,
    `${INDENT}${paint(markOf(verdict, assertion.mandatory)[1], detail ?? '')}`,
    `${INDENT}why: ${why}`,
    `${INDENT}see: ${how.replaceAll('\n', `\n${INDENT}     `)}`,
  ].join('\n')
}

function headline(verdict: Report['verdict'], paint: Paint): string {
  if (verdict === 'passed') return paint(['green', 'bold'], 'PASSED: everything mandatory passed')
  if (verdict === 'failed') return paint(['red', 'bold'], 'FAILED: something mandatory failed')
  const text = 'INCOMPLETE: nothing mandatory failed, but something mandatory was not run'
  return paint(['yellow', 'bold'], text)
}

type Paint = (format: Format, text: string) => string

function painter(color: boolean): Paint {
  return (format, text) => (color ? util.styleText(format, text, { validateStream: false }) : text)
}
