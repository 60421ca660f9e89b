import type { Task } from '../second-agent/request.ts'
import { type Outcome, pause, SecondAgent } from '../second-agent/second-agent.ts'
import type { Fault } from './fault.ts'

const START_MS = 2_000

export interface ProcessFault extends Fault {
  readonly name: string
  beforeStart?(): Promise<void>
  readonly host?: string
}

/** Agents whose fault shows only in a separate process. */
export const processFaults: readonly ProcessFault[] = [
  {
    name: 'starts-slowly',
    does: 'takes too long to start',
    Agent: SecondAgent,
    beforeStart: () => pause(START_MS),
    // A busy machine is given its time.
    limits: { startMs: START_MS / 5 },
    caughtBy: ['limits.start'],
  },
  {
    name: 'tells-at-its-end',
    does: 'prints its environment when it exits',
    Agent: class extends SecondAgent {
      override log(event: string, facts: Readonly<Record<string, string | number>>): void {
        if (event === 'ending')
          super.log('goodbye', { environment: JSON.stringify(this.settings.environment) })
        else super.log(event, facts)
      }
    },
    only: ['logs', 'end'],
    caughtBy: ['end.log'],
  },
  {
    name: 'listens-to-itself',
    does: 'listens only on the loopback interface',
    Agent: SecondAgent,
    host: '127.0.0.1',
    only: ['limits'],
    caughtBy: ['limits.outside'],
  },
  {
    name: 'dies-of-two',
    does: 'dies when two runs overlap',
    Agent: class extends SecondAgent {
      #underWay = 0

      override async perform(task: Task): Promise<Outcome> {
        this.#underWay += 1
        if (this.#underWay > 1) {
          process.stderr.write('panic: concurrent map writes\n')
          process.exit(70)
        }
        await pause(20)
        return await super.perform(task).finally(() => {
          this.#underWay -= 1
        })
      }
    },
    caughtBy: ['run', 'health', 'result'],
  },
]
