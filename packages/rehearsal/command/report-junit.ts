import junit, { type Builder } from 'junit-report-builder'
import { sumOf } from '../figures.ts'
import type { Report } from '../report.ts'

// The package is CommonJS, but its types describe an ES module.
const builder = junit as unknown as Builder

/**
 * The report as JUnit XML: mandatory failures are failures, mandatory assertions that were not run are errors, and
 * advisory ones that failed or were not run are skipped, with the reason as their output. Its name is the same whatever the agent
 * says.
 */
export function reportJunit({ url, groups, startedAt }: Report): string {
  const report = builder.newBuilder().name(`acceptance checks of ${url}`)
  for (const { title, assertions } of groups) {
    const suite = report.testSuite().name(title).timestamp(startedAt)
    const total = sumOf(assertions.map(({ seconds = 0 }) => seconds))
    suite.time(toMilliseconds(total))
    for (const { id, title, verdict, mandatory, detail, why, how, seconds = 0 } of assertions) {
      const [group = ''] = id.split('.')
      const testCase = suite.testCase().className(group).name(`${id}: ${title}`).time(toMilliseconds(seconds))
      if (verdict === 'pass') continue
      const [message, explained] = [detail ?? '', `${detail}\nwhy: ${why}\nsee: ${how}`]
      if (!mandatory) testCase.skipped().standardOutput(explained)
      else if (verdict === 'fail') testCase.failure(message).stacktrace(explained)
      else testCase.error(message, 'not_run', explained)
    }
  }
  return report.build()
}

/** Sums of decimal fractions have digits that mean nothing. */
function toMilliseconds(seconds: number): number {
  return Number(seconds.toFixed(3))
}
