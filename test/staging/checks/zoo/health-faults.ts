import { type Call, json, type Outcome, type Reply, SecondAgent } from '../second-agent/agent.ts'
import type { Refusal, Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

export const healthFaults: readonly Fault[] = [
  {
    name: 'health-busy',
    does: 'says "busy" instead of "ok" during a run',
    Agent: class extends SecondAgent {
      #underWay = 0
      #runs = 0
      #polled = Promise.withResolvers<void>()

      override health(call: Call): Reply {
        const reply = super.health(call) as Reply
        const status = this.#underWay > 0 ? 'busy' : 'ok'
        if (this.#runs > 1 && this.#underWay > 0) this.#polled.resolve()
        return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), status }) }
      }

      override async run(call: Call): Promise<Reply> {
        this.#underWay += 1
        this.#runs += 1
        // Except for the first, runs last until somebody asks.
        if (this.#runs > 1) await this.#polled.promise
        try {
          return await super.run(call)
        } finally {
          this.#underWay -= 1
        }
      }
    },
    only: ['health'],
    caughtBy: ['health.status_under_load'],
    says: /expected "ok", got the string "busy"/,
  },
  {
    name: 'health-renamed-after-errors',
    does: 'changes its name once it has refused something',
    Agent: class extends SecondAgent {
      #name = 'Zoo'

      override health(): Reply {
        return json(200, { status: 'ok', agent_id: 'agent-4711', agent_name: this.#name })
      }

      override refuse(refusal: Refusal): Reply {
        this.#name = 'Zoo, with faults'
        return super.refuse(refusal)
      }
    },
    only: ['health'],
    caughtBy: ['health.after_errors'],
    says: /expected the agent \["agent-4711","Zoo"\], got /,
  },
  {
    name: 'health-refuses-tokens',
    does: 'refuses /health with a token: the interface does not say whether one is sent',
    Agent: class extends SecondAgent {
      override health(call: Call) {
        return call.headers.authorization ? json(403, { status: 'ok' }) : super.health(call)
      }
    },
    caughtBy: [],
  },
  {
    name: 'health-follows-the-last-run',
    does: 'says "degraded" in /health after a failed run',
    Agent: class extends SecondAgent {
      #status = 'ok'

      override async perform(task: Task): Promise<Outcome> {
        const outcome = await super.perform(task)
        this.#status = outcome.status === 'error' ? 'degraded' : 'ok'
        return outcome
      }

      override health(call: Call): Reply {
        const reply = super.health(call) as Reply
        return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), status: this.#status }) }
      }
    },
    only: ['health', 'input'],
    caughtBy: ['input.healthy'],
    says: /status: expected "ok", got the string "degraded"/,
  },
  {
    name: 'health-needs-token',
    does: 'answers /health without a token with 401',
    Agent: class extends SecondAgent {
      override health(call: Call) {
        this.authorize(call)
        return super.health(call)
      }
    },
    caughtBy: ['health.without_token'],
  },
]
