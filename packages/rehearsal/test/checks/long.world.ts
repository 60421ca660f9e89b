import { runChecks } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { parseTasks } from '@agent-task-service/rehearsal/tasks'
import { some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { Random } from '@agent-task-service/test-support/random'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect, test } from 'vitest'
import { assertionsOf } from './faulty-agents/expect.ts'

const tasks = parseTasks('tasks: [{ input: What is it?, expect: { contains: done } }]', 'long')
const MB = 1e6

interface Habits {
  /** In bytes, after so many runs. */
  readonly memory: (runs: number) => number
  /** In milliseconds, of a run after so many others. */
  readonly takes: (runs: number) => number
}

async function reportOn(
  { memory, takes }: Pick<Habits, 'takes'> & { memory: (runs: number) => number | undefined },
  time: ReturnType<typeof fakeTime>,
): Promise<Report> {
  let runs = 0
  const answer = replies(success)
  const agent = await scriptedAgent((request, response) => {
    if (request.path === '/health') return answer(request, response)
    runs += 1
    setTimeout(() => answer(request, response), takes(runs))
  })
  const log = { name: 'the log', read: async () => '' }
  const start = { readyMs: 1, log, secrets: new Map(), memory: () => memory(runs) }
  return await time.until(runChecks({ url: agent.url, tasks, start, long: true, only: ['limits'] }))
}

/** What `--long` says against an agent with these habits. */
async function said(habits: Habits, time: ReturnType<typeof fakeTime>): Promise<string[]> {
  const assertions = assertionsOf(await reportOn(habits, time))
  expect(assertions.filter(({ id }) => /limits\.(memory|pace)/.test(id))).toHaveLength(2)
  return assertions.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id)
}

/** An agent that collects its garbage now and then, keeps something for a while, and takes its time. */
function sound(random: Random): Habits {
  const [every, waste, kept] = [random.whole(5, 60), random.whole(0, 9), random.whole(0, 300)]
  const paceMs = random.whole(500, 900)
  return {
    memory: runs => MB * (200 + waste * (runs % every) + Math.min(kept, runs) + 0.5 * runs),
    takes: () => paceMs * (0.7 + 0.6 * random.next()),
  }
}

// EVIDENCE-OF docs/reference/acceptance-checks.md: The memory of an agent in a container is not seen: `limits.memory` is not run then, and
//   says so.
test('memory that cannot be read is not run, and says why', async () => {
  const report = await reportOn({ memory: () => undefined, takes: () => 1 }, fakeTime())
  const memory = assertionsOf(report).find(({ id }) => id === 'limits.memory')
  expect(memory).toMatchObject({ verdict: 'not_run', detail: expect.stringContaining('container') })
})

/** Changes of a sound agent's habits, and what is said against each. */
const changes: readonly [what: string, change: (habits: Habits, random: Random) => Habits, says: string[]][] =
  [
    ['nothing', habits => habits, []],
    [
      'memory that grows',
      (habits, random) => {
        const leak = random.whole(5, 10)
        return { ...habits, memory: runs => MB * leak * runs + habits.memory(runs) / 10 }
      },
      ['limits.memory'],
    ],
    [
      'runs that slow down',
      (habits, random) => {
        const slope = random.whole(10, 30) / 1_000
        return { ...habits, takes: runs => habits.takes(runs) * (1 + slope * runs) }
      },
      ['limits.pace'],
    ],
  ]

// EVIDENCE-OF docs/reference/acceptance-checks.md: That the least memory of the agent's processes on this machine grows by more than
//   2 MB a run from each 50 runs to the next, or that the last 50 take 1.5 times as long as the second 50, in a trend that is no chance, is
//   advice.
test.for(some(changes, 2))('many runs show %s, and nothing else', async ([, change, says]) => {
  const random = new Random(Number(process.env.SAMPLE_SEED))
  expect(await said(change(sound(random), random), fakeTime())).toEqual(says)
})
