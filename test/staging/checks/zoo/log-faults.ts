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

/** Logs the input of each task, in another encoding. */
const logging = (write: (input: string) => string) =>
  class extends SecondAgent {
    override perform(task: Task): Promise<Outcome> {
      this.settings.log(write(task.input))
      return super.perform(task)
    }
  }

/** The forms of secrets: one of each kind is planted in every place. */
const KINDS = {
  'provider-key': /sk-proj-\w+/,
  'code-host-key': /ghp_\w+/,
  'cloud-key': /AKIA\w+\/\w+/,
  'signed-token': /eyJ[\w.-]+/,
  'database-address': /postgres:[^ ]+/,
  password: /p\\"a.{40}/,
  'bare-key': /(?<= )\w{24}/,
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
    caughtBy: ['logs.input'],
  },
  {
    name: 'logs-output',
    does: 'logs the output of each task, including what it was asked to repeat',
    Agent: class extends SecondAgent {
      override answered(task: Task, outcome: Outcome, metrics: Readonly<Record<string, unknown>>): Reply {
        this.log('answered', { output: outcome.text })
        return super.answered(task, outcome, metrics)
      }
    },
    caughtBy: ['logs.input'],
  },
  {
    name: 'logs-body-in-base64',
    does: 'logs each body in base64',
    Agent: telling(({ body }) => inBase64(body)),
    caughtBy: ['logs.input', 'logs.config', 'logs.broken_body', 'logs.wrong_member'],
    because: 'all are sent in a body',
  },
  {
    name: 'logs-input-in-hexadecimal',
    does: 'logs the input of each task in hexadecimal',
    Agent: class extends SecondAgent {
      override perform(task: Task): Promise<Outcome> {
        this.log('asked', { input: Buffer.from(task.input).toString('hex') })
        return super.perform(task)
      }
    },
    caughtBy: ['logs.input'],
  },
  {
    name: 'logs-token',
    does: 'logs the Authorization header',
    Agent: telling(({ headers }) => headers.authorization),
    caughtBy: ['logs.authorization', 'logs.token'],
    because: "other callers' tokens arrive the same way",
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
    name: 'logs-token-without-its-end',
    does: 'logs all but the last three characters of a token',
    Agent: telling(({ headers }) => headers.authorization?.slice(0, -3)),
    caughtBy: ['logs.token', 'logs.authorization'],
    because: "other callers' tokens arrive the same way",
  },
  {
    name: 'logs-token-on-two-lines',
    does: 'logs a token over two lines',
    Agent: class extends SecondAgent {
      override run(call: Call): Promise<Reply> {
        const { authorization = '' } = call.headers
        for (const part of [authorization.slice(0, 24), authorization.slice(24)]) this.log('told', { part })
        return super.run(call)
      }
    },
    caughtBy: ['logs.token', 'logs.authorization'],
    because: "other callers' tokens arrive the same way",
  },
  {
    name: 'logs-input-escaped',
    does: 'logs an input with every letter escaped',
    Agent: logging(input =>
      Array.from(input, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ),
    caughtBy: ['logs.input'],
    says: /verbatim, escaped/,
  },
  {
    name: 'logs-input-percent-encoded',
    does: 'logs an input with every letter percent-encoded',
    Agent: logging(input => Buffer.from(input).toString('hex').replace(/../g, '%$&')),
    caughtBy: ['logs.input'],
    says: /verbatim, escaped/,
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
    caughtBy: ['logs.input'],
  },
  ...Object.entries(KINDS).map(
    ([kind, shape]): Fault => ({
      name: `logs-${kind}`,
      does: `logs what looks like a ${kind} in a body`,
      Agent: telling(({ body }) => shape.exec(body)?.[0]),
      only: ['logs'],
      caughtBy: ['logs.input', 'logs.config', 'logs.broken_body', 'logs.wrong_member'],
      because: 'all are sent in a body',
    }),
  ),
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
