import { expect } from 'vitest'
import type { Assertion, Report } from '../../../../staging/report.ts'
import type { Fault } from './fault.ts'

/** Assertions that only a platform can break: never the first to see an agent's fault. */
export const OUT_OF_SIGHT = ['metrics.platform_totals', 'run.staging_route']

export const idsOf = (assertions: readonly Assertion[]) => assertions.map(({ id }) => id).sort()

export const mandatoryOf = ({ groups }: Report) =>
  groups.flatMap(({ assertions }) => assertions).filter(({ mandatory }) => mandatory)

const unseenIn = (report: Report) => mandatoryOf(report).filter(({ verdict }) => verdict === 'not_run')

/** The mandatory assertions that failed, and the advisory ones that the fault is about. */
function blamed({ groups }: Report, { caughtBy }: Fault): Assertion[] {
  return groups
    .flatMap(({ assertions }) => assertions)
    .filter(({ verdict }) => verdict === 'fail')
    .filter(({ mandatory, id }) => mandatory || caughtBy.includes(id))
}

/** Exactly the expected assertions failed. */
export function expectCaught(fault: Fault, report: Report): void {
  const found = blamed(report, fault)
  expect(idsOf(found), detailsOf(found)).toEqual([...fault.caughtBy].sort())
  const [first] = fault.caughtBy
  if (fault.says) expect(found.find(({ id }) => id === first)?.detail).toMatch(fault.says)
  expect(idsOf(unseenIn(report))).toEqual(expect.arrayContaining([...(fault.unseen ?? [])]))
}

/** Nothing mandatory failed, and everything ran. */
export function expectSound(agent: Fault, report: Report): void {
  expect(detailsOf(blamed(report, agent))).toBe('')
  const unseen = unseenIn(report)
  expect(idsOf(unseen), detailsOf(unseen)).toEqual([])
}

function detailsOf(assertions: readonly Assertion[]): string {
  return assertions.map(({ id, detail }) => `${id}: ${detail}`).join('\n')
}
