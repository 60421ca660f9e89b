import { type Call, type Outcome, pause, type Reply, SecondAgent } from '../second-agent/agent.ts'
import type { Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'
import { NEVER_MS, SHORT } from './limits.ts'

/** Agents that keep their callers waiting, checked against shortened limits. */
export const timeFaults: readonly Fault[] = [
  {
    name: 'health-slow',
    does: 'answers the third poll of /health after the limit',
    Agent: class extends SecondAgent {
      #polls = 0

      override async health(call: Call): Promise<Reply> {
        this.#polls += 1
        if (this.#polls === 3) await pause(NEVER_MS)
        return super.health(call)
      }
    },
    limits: SHORT,
    caughtBy: ['health.latency'],
  },
  {
    name: 'health-blocked-by-runs',
    does: 'answers /health only between runs',
    Agent: class extends SecondAgent {
      #underWay = 0

      override async health(call: Call): Promise<Reply> {
        if (this.#underWay > 0) await pause(NEVER_MS)
        return super.health(call)
      }

      override async run(call: Call): Promise<Reply> {
        this.#underWay += 1
        try {
          return await super.run(call)
        } finally {
          this.#underWay -= 1
        }
      }
    },
    settings: { thinkMs: 400 },
    limits: SHORT,
    only: ['health'],
    caughtBy: ['health.under_load'],
  },
  {
    name: 'hangs',
    does: 'never answers questions about the time',
    Agent: class extends SecondAgent {
      override async perform(task: Task): Promise<Outcome> {
        if (task.input.includes('What time')) await pause(NEVER_MS)
        return super.perform(task)
      }
    },
    limits: SHORT,
    caughtBy: ['limits.run_timeout', 'result.3'],
  },
  {
    name: 'slow',
    does: 'is too slow on one run in eight',
    Agent: class extends SecondAgent {
      #runs = 0

      override async perform(task: Task): Promise<Outcome> {
        this.#runs += 1
        if (this.#runs % 8 === 0) await pause(1.2 * SHORT.p95Ms!)
        return super.perform(task)
      }
    },
    limits: { ...SHORT, sampleSize: 16 },
    only: ['limits'],
    caughtBy: ['limits.p95'],
  },
]
