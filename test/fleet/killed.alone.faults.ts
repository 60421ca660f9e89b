import { seedsOf, some } from '@agent-task-service/test-support/at-length'
import { beforeAll, expect, test } from 'vitest'
import { bundleOnce } from '../bundle-once.ts'
import { type Fault, Lane, type Result } from './killed/lane.ts'

/** Runs at once, each with replicas of its own. */
const LANES = 6
/** In a sample, moments of each fault. */
const FEW = 4
const MOMENTS: readonly [fault: Fault, count: number][] = [
  ['kill', 200],
  ['suspension', 50],
  ['redis', 50],
  ['stored redis', 50],
  ['upgrade', 50],
  ['failover', 200],
]
const {
  JOURNAL = 'on',
  DECLARES = 'yes',
  HONOURS = 'yes',
  MODEL_MS = '0',
  REDIS_REPLICAS = '1',
} = process.env
const env = { JOURNAL, DECLARES, HONOURS }
/** No key helps where the record is lost: another run has other ones. */
const envOf = (fault: Fault) => (fault === 'failover' ? { ...env, HONOURS: 'no', REDIS_REPLICAS } : env)
/** What is otherwise is only shown: no journal, tools that do not say that they have side effects, services that know no keys. */
const isJudged =
  JOURNAL === 'on' && /^(yes|keys)$/.test(DECLARES) && HONOURS === 'yes' && REDIS_REPLICAS === '1'

beforeAll(() => bundleOnce('test/fleet/killed/replica.ts', 'node_modules/.cache/killed'))

// EVIDENCE-OF docs/reference/fleet.md: The replica that takes the task over runs the graph from its start.
// EVIDENCE-OF docs/reference/fleet.md: A task that is taken over, or sent again because it ended with `error` or `timeout`,
//   makes no call again that had ended: the model gets its recorded result.
// EVIDENCE-OF docs/reference/fleet.md: So no failover makes it happen twice if all replicas that may be promoted are counted,
//   and none of them loses its data.
test.each(some(MOMENTS, 2))(
  'a run of eight calls, three with side effects, and one %s at one of %i moments',
  async (fault, all) => {
    const seeds = seedsOf(all, FEW)
    const count = seeds.length
    const queues = Map.groupBy(seeds, replicasOf)
    const lanes = await Promise.all(
      Array.from({ length: Math.min(LANES, count) }, async (_, nth) => {
        const replicas = count === 1 ? replicasOf(seeds[0]!) : replicasOf(2 * nth)
        const lane = await Lane.open({ fault, replicas, modelMs: Number(MODEL_MS), env: envOf(fault) })
        return { lane, queue: queues.get(replicas) ?? [] }
      }),
    )
    const moments = await lanes[0]!.lane.moments()
    const results: Result[] = []
    await Promise.all(
      lanes.map(async ({ lane, queue }) => {
        for (let seed = queue.shift(); seed !== undefined; seed = queue.shift())
          results.push(await lane.play(seed, moments.length))
      }),
    )
    process.stdout.write(summaryOf(fault, moments, results))
    process.stdout.write(`${moments.join(', ')}\n`)
    expect(results).toHaveLength(count)
    const wrong = results.filter(({ problems }) => problems.length > 0)
    if (isJudged) expect(wrong).toEqual([])
  },
)

/** Two or three. */
function replicasOf(seed: number): number {
  return 2 + (Math.floor(seed / 2) % 2)
}

function summaryOf(fault: Fault, moments: readonly string[], results: readonly Result[]): string {
  const count = (fits: (result: Result) => boolean) => results.filter(fits).length
  const has = (words: string) => (result: Result) => result.problems.some(problem => problem.includes(words))
  const sum = (part: (result: Result) => number) => results.reduce((total, result) => total + part(result), 0)
  const isUnknown = ({ status }: Result) => status === 'error'
  const isAtWork = ({ moment = '' }: Result) => /begins|ends/.test(moment)
  const times = results
    .filter(({ moment }) => moment !== undefined)
    .map(({ answeredAfterMs }) => answeredAfterMs / 1000)
    .sort((one, other) => one - other)
  const seconds = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(1)
  return [
    `${fault}, journal ${JOURNAL}, side effects declared ${DECLARES}, keys honoured ${envOf(fault).HONOURS}, REDIS_REPLICAS ${REDIS_REPLICAS}:`,
    `${results.length} runs of ${moments.length} moments, ${count(({ moment }) => moment !== undefined)} struck,`,
    `${count(({ wasRedisAway }) => wasRedisAway)} while Redis was away for another replica;`,
    `${count(({ status }) => status === 'success')} answered, ${count(isUnknown)} unknown`,
    `(${count(result => isUnknown(result) && isAtWork(result))} while their service worked);`,
    `${count(has('times'))} with an effect twice, ${count(has('silently'))} with one lost silently,`,
    `${count(has('no reply tells'))} with one that no reply tells, ${count(({ problems }) => problems.length > 0)} with any problem;`,
    `${sum(({ refused }) => refused)} calls refused in ${count(({ refused }) => refused > 0)} runs;`,
    `${sum(({ recorded }) => recorded)} replies recorded when the fault came, ${count(has('was recorded as'))} runs that changed one;`,
    `${sum(({ calls }) => calls)} model calls, again: ${sum(({ paidTwice }) => paidTwice.inFlight)} in flight at the loss,`,
    `${sum(({ paidTwice }) => paidTwice.unread)} of which a second run without Redis could not read the record,`,
    `${sum(({ paidTwice }) => paidTwice.apart)} that it made before it knew of the first one,`,
    `${sum(({ paidTwice }) => paidTwice.others.length)} others;`,
    `from the fault to the answer ${seconds(0.5)} s (median), ${seconds(0.9)} s (nine of ten), ${seconds(1)} s (slowest),`,
    `the model takes ${MODEL_MS} ms\n`,
  ].join(' ')
}
