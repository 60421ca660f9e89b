import { type Call, json, type Outcome, type Reply, SecondAgent } from '../second-agent/agent.ts'
import { Refusal, type Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

/** Logs something about each task. */
const telling = (tell: (call: Call) => string | undefined) =>
  class extends SecondAgent {
    override run(call: Call): Promise<Reply> {
      const told = tell(call)
      if (told !== undefined) this.log('told', { told })
      return super.run(call)
    }
  }

const inBase64 = (text: string) => Buffer.from(text).toString('base64')

export const logFaults: readonly Fault[] = [
  {
    name: 'logs-input',
    does: 'logs the input of each task',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        this.log('asked', { input: task.input })
        return super.perform(task)
      }
    },
    caughtBy: ['logs.input', 'logs.hang_up'],
  },
  {
    name: 'logs-body-in-base64',
    does: 'logs each body in base64',
    Agent: telling(({ body }) => inBase64(body)),
    caughtBy: [
      'logs.input',
      'logs.config',
      'logs.broken_body',
      'logs.wrong_member',
      'logs.other_type',
      'logs.hang_up',
    ],
  },
  {
    name: 'logs-token',
    does: 'logs the Authorization header',
    Agent: telling(({ headers }) => headers.authorization),
    caughtBy: ['logs.authorization', 'logs.token'],
  },
  {
    name: 'logs-other-tokens',
    does: 'logs the tokens that it refuses',
    Agent: class extends SecondAgent {
      override authorize(call: Call): void {
        try {
          super.authorize(call)
        } catch (error) {
          this.log('stranger', { token: String(call.headers.authorization) })
          throw error
        }
      }
    },
    caughtBy: ['logs.authorization'],
  },
  {
    name: 'logs-late',
    does: 'logs the input of a task with a delay',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        setTimeout(() => this.log('asked', { input: task.input }), 300).unref()
        return super.perform(task)
      }
    },
    limits: { logLateMs: 1_500 },
    only: ['logs'],
    caughtBy: ['logs.input', 'logs.hang_up'],
  },
  {
    name: 'logs-headers',
    does: 'logs all headers but Authorization',
    Agent: telling(({ headers: { authorization: _, ...headers } }) => JSON.stringify(headers)),
    caughtBy: ['logs.header'],
  },
  {
    name: 'logs-system-prompt',
    does: 'logs the system prompt of each run',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        this.log('prompted', { prompt: task.systemPrompt })
        return super.perform(task)
      }
    },
    caughtBy: ['logs.config'],
  },
  {
    name: 'logs-bad-bodies',
    does: 'logs a body that is not JSON',
    Agent: class extends SecondAgent {
      override parse(body: string): unknown {
        try {
          return super.parse(body)
        } catch (error) {
          this.log('unreadable', { body })
          throw error
        }
      }
    },
    caughtBy: ['logs.broken_body'],
  },
  {
    name: 'logs-environment',
    does: 'logs its environment on the first run',
    Agent: class extends SecondAgent {
      override run(call: Call): Promise<Reply> {
        this.log('environment', { variables: JSON.stringify(this.settings.environment) })
        return super.run(call)
      }
    },
    caughtBy: ['logs.environment'],
  },
  {
    name: 'health-tells-environment',
    does: 'shows its environment in /health',
    Agent: class extends SecondAgent {
      override health(call: Call): Reply {
        const reply = super.health(call) as Reply
        const { environment } = this.settings
        return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), environment }) }
      }
    },
    caughtBy: ['logs.replies'],
    says: /found the value of MODEL_API_KEY/,
  },
  {
    name: 'replies-environment',
    does: 'shows its environment in the reply to a failed task',
    Agent: class extends SecondAgent {
      override answered(task: Task, outcome: Outcome, metrics: Readonly<Record<string, unknown>>): Reply {
        const reply = super.answered(task, outcome, metrics)
        if (outcome.status !== 'error') return reply
        return json(200, { ...JSON.parse(reply.body), debug: this.settings.environment })
      }
    },
    caughtBy: ['logs.replies'],
  },
  {
    name: 'replies-headers',
    does: 'quotes the headers of a request that it refuses',
    Agent: class extends SecondAgent {
      override read(call: Call): Task {
        try {
          return super.read(call)
        } catch {
          throw new Refusal(400, JSON.stringify(call.headers))
        }
      }
    },
    caughtBy: ['logs.replies'],
  },
  {
    name: 'logs-nothing',
    does: 'logs nothing at all',
    Agent: class extends SecondAgent {
      override log(): void {}
    },
    caughtBy: [],
    unseen: ['logs.grow'],
  },
]
