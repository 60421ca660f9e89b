import type { IncomingMessage } from 'node:http'
import { Refusal, type Task } from '../second-agent/request.ts'
import {
  type Call,
  type Json,
  json,
  type Outcome,
  type Reply,
  SecondAgent,
} from '../second-agent/second-agent.ts'
import type { SoundAgent } from './fault.ts'

const CALL_TOKENS = 12
const THOUGHT_TOKENS = 30

/** Answers a repeated task from a cache, at no cost. */
export const caching = (Base: typeof SecondAgent) =>
  class extends Base {
    readonly #known = new Map<string, Outcome>()

    override async perform(task: Task): Promise<Outcome> {
      const key = JSON.stringify([
        task.input.replace(/\s+/g, ' ').trim(),
        task.systemPrompt,
        task.maxTokens,
        ...task.tools,
      ])
      const known = this.#known.get(key)
      if (known) return { ...known, steps: 0 }
      const outcome = await super.perform(task)
      this.#known.set(key, outcome)
      return outcome
    }

    override metrics(task: Task, outcome: Outcome, call: Call) {
      const metrics = super.metrics(task, outcome, call)
      return outcome.steps > 0
        ? metrics
        : { ...metrics, input_tokens: 0, output_tokens: 0, steps: 0, tool_calls: 0 }
    }
  }

/** Refuses runs, for now. */
abstract class RefusingAgent extends SecondAgent {
  readonly startedAt = performance.now()
  readonly #runs: number[] = []

  abstract retryAfter(runsOfASecond: number): string | undefined

  override async run(call: Call): Promise<Reply> {
    const now = performance.now()
    const retryAfter = this.retryAfter(this.#runs.filter(at => now - at < 1_000).length)
    if (retryAfter !== undefined) return json(429, { message: 'later' }, { 'Retry-After': retryAfter })
    this.#runs.push(now)
    return await super.run(call)
  }
}

const CachingAgent = caching(SecondAgent)

/** Agents that differ from the second one where the interface leaves a choice: the checks must find no fault. */
export const soundAgents: readonly SoundAgent[] = [
  {
    does: 'is the second agent',
    Agent: SecondAgent,
    stalls: true,
  },
  {
    does: 'answers invalid requests with 200, and errors with empty output and metrics',
    Agent: class extends SecondAgent {
      override response(task: Task, outcome: Outcome, metrics: Json): Json {
        const reply = super.response(task, outcome, metrics)
        return outcome.status === 'error' ? { ...reply, output: '', metrics: {} } : reply
      }

      override refuse(refusal: Refusal): Reply {
        const reply = super.refuse(refusal)
        if (refusal.status !== 400) return reply
        return json(200, { ...JSON.parse(reply.body), output: '', metrics: {} })
      }
    },
  },
  {
    does: 'refuses with 422 and a text, and a token at /health, where none is sent',
    Agent: class extends SecondAgent {
      override refuse({ status, message }: Refusal): Reply {
        const headers = { 'Content-Type': 'text/plain' }
        return { status: status === 400 ? 422 : status, body: message, headers }
      }

      override health(call: Call) {
        return call.headers.authorization ? json(403, { status: 'ok' }) : super.health(call)
      }
    },
  },
  {
    does: 'answers methods that it does not know with 501, as many small servers do',
    Agent: class extends SecondAgent {
      override refuse(refusal: Refusal): Reply {
        const reply = super.refuse(refusal)
        return refusal.status === 405 ? { ...reply, status: 501 } : reply
      }
    },
  },
  {
    does: 'refuses a large body before its end, so that the reply is lost now and then',
    Agent: class extends SecondAgent {
      #refused = 0

      override async receive(request: IncomingMessage): Promise<string> {
        if (Number(request.headers['content-length'] ?? 0) > 512 * 1024) {
          this.#refused += 1
          if (this.#refused % 2 === 1) request.destroy()
        }
        return await super.receive(request)
      }
    },
  },
  {
    does: 'sends indented JSON and names its character set, in upper case',
    Agent: class extends SecondAgent {
      override async route(call: Call): Promise<Reply> {
        const reply = await super.route(call)
        const body = `${JSON.stringify(JSON.parse(reply.body), null, 2)}\n`
        return { ...reply, body, headers: { 'Content-Type': 'Application/JSON; Charset=UTF-8' } }
      }
    },
  },
  {
    does: 'measures the duration in whole seconds',
    Agent: class extends SecondAgent {
      override metrics(task: Task, outcome: Outcome, call: Call) {
        const metrics = super.metrics(task, outcome, call)
        return { ...metrics, duration_sec: Math.floor(metrics.duration_sec) }
      }
    },
  },
  {
    does: 'writes times with AM and PM, and numbers with separators',
    Agent: class extends SecondAgent {
      override answer(task: Task) {
        const { text, uses } = super.answer(task)
        const inHalves = text.replace(/(\d\d):(\d\d):\d\d/g, (_, hour, minute) => {
          return `${Number(hour) % 12 || 12}:${minute} ${Number(hour) < 12 ? 'a.m.' : 'PM'}`
        })
        const separated = inHalves.replace(/\d{5,}/g, number => Number(number).toLocaleString('en'))
        return { text: `Here you are!\n\n**${separated}**`, uses }
      }
    },
  },
  {
    does: 'tells the time in full minutes, with seconds, and when a shop opens',
    Agent: class extends SecondAgent {
      override answer(task: Task) {
        const { text, uses } = super.answer(task)
        return { text: text.replace(/(\d\d:\d\d):\d\d (.*)/, '$1:00 $2 The shop opens at 09:00:00.'), uses }
      }
    },
  },
  {
    does: 'answers a repeated task from a cache, at no cost',
    Agent: CachingAgent,
  },
  {
    does: 'answers every task in one step without a tool, and a repeated one from a cache',
    Agent: class extends CachingAgent {
      override answer(task: Task) {
        const tools = new Set(['calculator', 'time'])
        return { ...super.answer({ ...task, tools }), uses: 0 }
      }
    },
  },
  {
    does: 'accepts one run at a time, and answers others with 503',
    Agent: class extends SecondAgent {
      #isBusy = false

      override async run(call: Call): Promise<Reply> {
        if (this.#isBusy) return json(503, { message: 'one at a time' }, { 'Retry-After': '1' })
        this.#isBusy = true
        try {
          return await super.run(call)
        } finally {
          this.#isBusy = false
        }
      }
    },
    settings: { thinkMs: 10 },
  },
  {
    does: 'takes five runs a second, and tells in how many seconds it takes more',
    Agent: class extends RefusingAgent {
      override retryAfter(runsOfASecond: number) {
        return runsOfASecond >= 5 ? '1' : undefined
      }
    },
    advisedBy: 'limits.retry_after',
  },
  {
    does: 'loads its model for two seconds, and tells when it is there',
    Agent: class extends RefusingAgent {
      override retryAfter() {
        const leftMs = this.startedAt + 2_000 - performance.now()
        return leftMs > 0 ? new Date(Date.now() + leftMs + 1_000).toUTCString() : undefined
      }
    },
    advisedBy: 'limits.retry_after',
  },
  {
    does: 'has a model that is overloaded once',
    Agent: class extends SecondAgent {
      #first: string | undefined
      #runs = 0

      override async perform(task: Task): Promise<Outcome> {
        this.#first ??= task.input
        if (task.input === this.#first) this.#runs += 1
        // Where the same task is done before and after.
        if (task.input === this.#first && this.#runs === 12)
          return { status: 'error', text: 'HTTP 529: overloaded', steps: 1 }
        return await super.perform(task)
      }
    },
    advisedBy: 'limits.rare_errors',
  },
  {
    does: 'knows the names of its tools, and refuses any other with 422',
    Agent: class extends SecondAgent {
      override read(call: Call): Task {
        const task = super.read(call)
        const names: string[] = JSON.parse(call.body).config?.enabled_tools ?? []
        if (names.length > task.tools.size) throw new Refusal(422, 'no such tool', task.id)
        return task
      }
    },
  },
  {
    does: 'takes a max_tokens below 1 as unlimited',
    Agent: class extends SecondAgent {
      override parse(body: string): unknown {
        const parsed = super.parse(body)
        const { config } = Object(parsed)
        return config?.max_tokens < 1
          ? { ...Object(parsed), config: { ...config, max_tokens: undefined } }
          : parsed
      }
    },
    advisedBy: 'input.max_tokens_below_one',
  },
  {
    does: 'caps each call of its model',
    Agent: class extends SecondAgent {
      override metrics(task: Task, outcome: Outcome, call: Call) {
        const metrics = super.metrics(task, outcome, call)
        const ofCalls = metrics.tool_calls * Math.min(CALL_TOKENS, task.maxTokens ?? CALL_TOKENS)
        return { ...metrics, output_tokens: metrics.output_tokens + ofCalls }
      }
    },
    advisedBy: 'run.max_tokens_counts',
  },
  {
    does: 'caps the text that it shows, and thinks before',
    Agent: class extends SecondAgent {
      override metrics(task: Task, outcome: Outcome, call: Call) {
        const metrics = super.metrics(task, outcome, call)
        return { ...metrics, output_tokens: metrics.output_tokens + THOUGHT_TOKENS }
      }
    },
    advisedBy: 'run.max_tokens_counts',
  },
  {
    does: 'has a provider that takes no cap below 16',
    Agent: class extends SecondAgent {
      override async perform(task: Task): Promise<Outcome> {
        return await super.perform({ ...task, maxTokens: task.maxTokens && Math.max(16, task.maxTokens) })
      }
    },
    advisedBy: 'run.max_tokens_counts',
  },
  {
    does: 'reports half a second for whatever takes less',
    Agent: class extends SecondAgent {
      override metrics(task: Task, outcome: Outcome, call: Call) {
        const metrics = super.metrics(task, outcome, call)
        return { ...metrics, duration_sec: Math.max(0.5, metrics.duration_sec) }
      }
    },
    advisedBy: 'metrics.duration_fine',
  },
  {
    does: 'rounds the duration up to whole seconds',
    Agent: class extends SecondAgent {
      override metrics(task: Task, outcome: Outcome, call: Call) {
        const metrics = super.metrics(task, outcome, call)
        return { ...metrics, duration_sec: Math.ceil(metrics.duration_sec) }
      }
    },
    settings: { thinkMs: 10 },
    advisedBy: 'metrics.duration_fine',
  },
  {
    does: 'logs the first and the last four characters of each token and each text',
    Agent: class extends SecondAgent {
      override async run(call: Call): Promise<Reply> {
        for (const [token] of `${call.headers.authorization} ${call.body}`.matchAll(/[\w-]{16,}/g))
          this.settings.log(`asked with ${token.replace(/^(sk-|ghp_)?(.{4}).*(.{4})$/, '$1$2…$3')}`)
        return await super.run(call)
      }
    },
  },
  {
    does: 'reports two steps for every task',
    Agent: class extends SecondAgent {
      override metrics(task: Task, outcome: Outcome, call: Call) {
        return { ...super.metrics(task, outcome, call), steps: 2 }
      }
    },
    advisedBy: 'metrics.steps_vary',
  },
]
