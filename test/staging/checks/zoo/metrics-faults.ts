import { type Outcome, pause, SecondAgent } from '../second-agent/agent.ts'
import type { Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'
import { faulty } from './faulty-agent.ts'

export const metricsFaults: readonly Fault[] = [
  {
    name: 'duration-zero',
    does: 'reports 0 for every duration',
    Agent: faulty({ metrics: own => ({ ...own, duration_sec: 0 }) }),
    // Long enough to be judged beside other runs.
    settings: { thinkMs: 1100 },
    only: ['metrics'],
    caughtBy: ['metrics.duration_real'],
  },
  {
    name: 'steps-of-runs-at-once',
    does: 'counts the steps of all concurrent runs together',
    Agent: class extends SecondAgent {
      #underWay = 0
      #steps = 0

      override async perform(task: Task): Promise<Outcome> {
        if (this.#underWay === 0) this.#steps = 0
        this.#underWay += 1
        await pause(40)
        const outcome = await super.perform(task)
        this.#steps += outcome.steps
        await pause(40)
        this.#underWay -= 1
        return { ...outcome, steps: this.#steps }
      }
    },
    concurrency: 1,
    caughtBy: ['metrics.at_once'],
    says: /expected about 8 steps for 4 runs at once, got \d+/,
  },
]
