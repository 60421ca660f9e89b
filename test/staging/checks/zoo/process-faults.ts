import { type Outcome, pause, SecondAgent } from '../second-agent/agent.ts'
import type { Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

const START_MS = 2_000

interface ProcessFault extends Fault {
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
    limits: { startMs: START_MS },
    caughtBy: ['limits.start'],
  },
  {
    name: 'prints-environment',
    does: 'prints its environment to standard error',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        process.stderr.write(`${JSON.stringify(this.settings.environment)}\n`)
        return super.perform(task)
      }
    },
    caughtBy: ['logs.environment', 'logs.token'],
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
    says: /found REHEARSAL_API_KEY/,
  },
  {
    name: 'listens-to-itself',
    does: 'listens only on the loopback interface',
    Agent: SecondAgent,
    host: '127.0.0.1',
    only: ['limits'],
    caughtBy: ['limits.outside'],
    says: /the connection was refused: listen on 0.0.0.0/,
  },
]
