import type { Assertion, Report, Verdict } from '@agent-task-service/rehearsal/report'

/** One assertion of the run group. */
export function assertion(name: string, verdict: Verdict, given: Partial<Assertion> = {}): Assertion {
  const detail = verdict === 'fail' ? 'expected 200, got 500' : null
  const texts = { title: `The ${name} holds`, why: 'The contract says so.', how: 'curl' }
  return { id: `run.${name}`, verdict, mandatory: true, detail, ...texts, ...given }
}

/** A finished report with these assertions. */
export function reportOf(...assertions: Assertion[]): Report {
  return {
    ...{ url: 'http://127.0.0.1:9', agentId: 'agent-7', verdict: 'failed', requests: 12 },
    ...{ startedAt: '2026-01-01T00:00:00.000Z', finishedAt: '2026-01-01T00:00:09.000Z' },
    groups: [{ id: 'run', title: 'A task works', state: 'done', expected: assertions.length, assertions }],
    unseen: ['its image (--image NAME)'],
  }
}

/** The report so far, of checks that have begun this group and will make so many assertions of it, and three of another. */
export function reportSoFar(expected: number, ...assertions: Assertion[]): Report {
  const begun = { id: 'run', title: 'A task works', state: 'underway', expected, assertions } as const
  const waiting = { id: 'logs', title: 'No secrets', state: 'waiting', expected: 3, assertions: [] } as const
  return { ...reportOf(), finishedAt: null, verdict: null, groups: [begun, waiting] }
}
