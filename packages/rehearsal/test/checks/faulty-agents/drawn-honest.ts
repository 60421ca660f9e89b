import { Random } from '@agent-task-service/test-support/random'
import type { Task } from '../second-agent/request.ts'
import { type Call, json, type Outcome, type Reply, SecondAgent } from '../second-agent/second-agent.ts'
import { tokensIn } from '../second-agent/tokens.ts'
import { thinkingAgent } from '../thinking-agent/thinking-agent.ts'
import { CallingAgent } from './calling-agent.ts'
import { caching } from './sound-agents.ts'

type Base = typeof SecondAgent

/** Refuses runs with Retry-After, as long as that takes. */
const refusing =
  (random: Random, waitMsOf: (arrivals: readonly number[]) => number) =>
  (Base: Base): Base => {
    const status = random.pick([429, 503])
    const isDate = random.happens(0.5)
    return class extends Base {
      readonly #arrivals = [Date.now()]

      override async run(call: Call): Promise<Reply> {
        const waitMs = waitMsOf(this.#arrivals)
        if (waitMs <= 0) {
          this.#arrivals.push(Date.now())
          return await super.run(call)
        }
        const date = new Date(Math.ceil((Date.now() + waitMs) / 1_000) * 1_000).toUTCString()
        const after = isDate ? date : String(Math.ceil(waitMs / 1_000))
        return json(status, { message: 'later' }, { 'Retry-After': after })
      }
    }
  }

const wordsIn = (text: string) => text.match(/\S+/g)?.length ?? 0

const countingWords = (Base: Base): Base =>
  class extends Base {
    override async perform(task: Task): Promise<Outcome> {
      // Which cuts nothing, and is kept apart from no cap.
      const maxTokens = task.maxTokens && task.maxTokens + 1e6
      const outcome = await super.perform({ ...task, maxTokens })
      const words = outcome.text.match(/\s*\S+/g) ?? []
      return { ...outcome, text: words.slice(0, task.maxTokens).join('') }
    }

    override metrics(task: Task, outcome: Outcome, call: Call) {
      const own = super.metrics(task, outcome, call)
      const read = `${task.systemPrompt} ${task.input}`
      const share = wordsIn(read) / tokensIn(read)
      return {
        ...own,
        input_tokens: Math.ceil(own.input_tokens * share),
        output_tokens: wordsIn(outcome.text),
      }
    }
  }

/** An agent with which nothing mandatory is wrong. */
export function drawnHonest(seed: number) {
  const random = new Random(seed)
  const rate = random.whole(2, 8)
  const loadsMs = random.whole(500, 8_000)
  const once = random.whole(60, 150)
  const thoughts = random.whole(10, 500)
  const [does, change] = random.pick<readonly [string, (Base: Base) => Base]>([
    [
      `takes ${rate} runs a second, and refuses others with Retry-After`,
      refusing(random, arrivals => (arrivals.at(-rate) ?? 0) + 1_000 - Date.now()),
    ],
    [
      `loads for ${loadsMs} ms, and refuses with Retry-After`,
      refusing(random, ([since = 0]) => since + loadsMs - Date.now()),
    ],
    [
      `fails one run in ${once}`,
      Base =>
        class extends Base {
          #runs = random.whole(0, once)

          override async perform(task: Task): Promise<Outcome> {
            this.#runs += 1
            const outcome = await super.perform(task)
            return this.#runs % once === 0 ? { ...outcome, status: 'error', text: 'overloaded' } : outcome
          }
        },
    ],
    ['counts words', countingWords],
    [
      `thinks ${thoughts} tokens before each answer`,
      Base =>
        class extends Base {
          override metrics(task: Task, outcome: Outcome, call: Call) {
            const own = super.metrics(task, outcome, call)
            return { ...own, output_tokens: own.output_tokens + thoughts }
          }
        },
    ],
  ])
  const thinking = thinkingAgent(random.whole(1, 1_000))
  const [name, Own] = random.pick<readonly [string, Base]>([
    ['second', SecondAgent],
    ['calling', CallingAgent],
    ['thinking', thinking],
    ['second, caching', caching(SecondAgent)],
  ])
  return { does: `${does} (${name})`, Agent: change(Own), thinkMs: random.pick([20, 100, 400]) }
}
