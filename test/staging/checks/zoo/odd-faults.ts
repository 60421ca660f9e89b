import { type Call, type Reply, SecondAgent } from '../second-agent/agent.ts'
import type { Refusal } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

/** Breaks on odd requests that are valid, or nearly so. */
const breakingAt = (isTooMuch: (body: string) => boolean) =>
  class extends SecondAgent {
    override parse(body: string): unknown {
      if (isTooMuch(body)) throw new RangeError('this was not foreseen')
      return super.parse(body)
    }
  }

/** Turns refusals with this code into 500. */
const breakingFor = (code: number) =>
  class extends SecondAgent {
    override refuse(refusal: Refusal): Reply {
      const reply = super.refuse(refusal)
      return refusal.status === code ? { ...reply, status: 500 } : reply
    }
  }

const idIn = (body: string) => /"task_id":"([^"]*)"/.exec(body)?.[1] ?? 'test-1'

export const oddFaults: readonly Fault[] = [
  {
    name: 'breaks-at-depth',
    does: 'recurses through members until its stack overflows',
    Agent: breakingAt(body => body.includes('['.repeat(1_000))),
    caughtBy: ['input.deep'],
  },
  {
    name: 'breaks-at-doubles',
    does: 'breaks on a duplicate member',
    Agent: breakingAt(body => /"task_id":"[^"]*","task_id"/.test(body)),
    caughtBy: ['input.duplicate_members'],
  },
  {
    name: 'breaks-at-prototype',
    does: 'merges __proto__ into its settings, and breaks',
    Agent: breakingAt(body => body.includes('"__proto__"')),
    caughtBy: ['input.prototype'],
  },
  {
    name: 'breaks-at-large-numbers',
    does: 'keeps max_tokens in 32 bits',
    Agent: breakingAt(body => Number(/"max_tokens":(\d+)/.exec(body)?.[1] ?? 0) >= 2 ** 31),
    caughtBy: ['input.max_tokens_huge'],
  },
  {
    name: 'breaks-at-other-ids',
    does: 'parses every task_id as a UUID or a number',
    Agent: breakingAt(body => !/^(test-\d+|[\da-f-]{36}|)$/i.test(idIn(body))),
    caughtBy: ['input.task_id_other', 'input.task_id_long'],
  },
  {
    name: 'breaks-at-types',
    does: 'answers anything not sent as JSON with 500',
    Agent: breakingFor(415),
    caughtBy: ['input.type_text', 'input.type_missing', 'input.type_form'],
  },
  {
    name: 'breaks-at-methods',
    does: 'answers methods other than POST with 500',
    Agent: breakingFor(405),
    caughtBy: ['input.method_get', 'input.method_put', 'input.method_delete'],
  },
  {
    name: 'runs-anything',
    does: 'runs a task on any path and method',
    Agent: class extends SecondAgent {
      override route(call: Call): Reply | Promise<Reply> {
        return call.path === '/health' ? super.route(call) : this.run(call)
      }
    },
    caughtBy: ['input.method_put', 'input.unknown_path'],
  },
]
