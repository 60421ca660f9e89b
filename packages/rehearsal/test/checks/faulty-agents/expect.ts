import type { Report } from '@agent-task-service/rehearsal/report'
import { expect } from 'vitest'
import type { Fault } from './fault.ts'
import { isOf } from './rows.ts'

export const assertionsOf = ({ groups }: Report) => groups.flatMap(({ assertions }) => assertions)
const detailsOf = (assertions: ReturnType<typeof assertionsOf>) =>
  assertions.map(({ id, detail }) => `${id}: ${detail}`).join('\n')

/** One of the expected assertions failed. */
export function expectCaught({ caughtBy }: Fault, report: Report): void {
  const failed = assertionsOf(report).filter(({ verdict }) => verdict === 'fail')
  expect(
    failed.some(({ id }) => isOf(caughtBy, id)),
    detailsOf(failed),
  ).toBe(true)
}

/** Nothing mandatory failed, and everything ran; it is advised on what it does otherwise. */
export function expectSound(report: Report, advisedBy?: string): void {
  const others = assertionsOf(report).filter(({ verdict, mandatory }) => mandatory && verdict !== 'pass')
  expect(detailsOf(others)).toBe('')
  if (advisedBy === undefined) return
  const advice = assertionsOf(report).filter(({ verdict, mandatory }) => verdict === 'fail' && !mandatory)
  expect(advice.map(({ id }) => id)).toContain(advisedBy)
}
