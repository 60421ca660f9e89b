import { expect } from 'vitest'
import type { Assertion, Report } from '../../../staging/report.ts'
import type { Fault } from './fault.ts'

/** What only a platform can break: of what an agent breaks, these are not the first to see it. */
export const OUT_OF_SIGHT = ['metrics.platform_totals', 'run.staging_route']

export const idsOf = (assertions: readonly Assertion[]) => assertions.map(({ id }) => id).sort()

export const mandatoryOf = ({ groups }: Report) =>
  groups.flatMap(({ assertions }) => assertions).filter(({ mandatory }) => mandatory)

const unseenIn = (report: Report) => mandatoryOf(report).filter(({ verdict }) => verdict === 'not_run')

/** What failed of the mandatory assertions, and of the advisory ones those that the fault is about. */
function blamed({ groups }: Report, { caughtBy }: Fault): Assertion[] {
  return groups
    .flatMap(({ assertions }) => assertions)
    .filter(({ verdict, mandatory, id }) => verdict === 'fail' && (mandatory || caughtBy.includes(id)))
}

/** The assertions that should fail did, and no other. */
export function expectCaught(fault: Fault, report: Report): void {
  const found = blamed(report, fault)
  expect(idsOf(found), detailsOf(found)).toEqual([...fault.caughtBy].sort())
  const [first] = fault.caughtBy
  if (fault.says) expect(found.find(({ id }) => id === first)?.detail).toMatch(fault.says)
  expect(idsOf(unseenIn(report))).toEqual(expect.arrayContaining([...(fault.unseen ?? [])]))
}

/** Nothing mandatory failed, and all of it was looked at. */
export function expectSound(agent: Fault, report: Report): void {
  expect(detailsOf(blamed(report, agent))).toBe('')
  const unseen = unseenIn(report)
  expect(idsOf(unseen), detailsOf(unseen)).toEqual([])
}

function detailsOf(assertions: readonly Assertion[]): string {
  return assertions.map(({ id, detail }) => `${id}: ${detail}`).join('\n')
}
