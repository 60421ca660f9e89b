import { pause, SecondAgent } from '../second-agent/agent.ts'
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
    limits: { startMs: START_MS },
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
]
