import type { Task } from '../second-agent/request.ts'
import { type Call, type Outcome, pause, SecondAgent } from '../second-agent/second-agent.ts'
import { cut, tokensIn } from '../second-agent/tokens.ts'
import { obeying } from '../thinking-agent/thinking-agent.ts'

/** What its model writes to call a tool, and reads of the tool's result. */
export const CALL_TOKENS = 12
const RESULT_TOKENS = 10
/** Others are called beside each other: no task takes it minutes. */
const MOST_WAITS = 10

/** A second agent whose steps are calls of a model, each with its own time and tokens. It obeys its system prompt. */
export class CallingAgent extends SecondAgent {
  override async perform(task: Task): Promise<Outcome> {
    const outcome = await super.perform(task)
    const uses = outcome.steps - 1
    if (uses === 0) return { ...outcome, text: cut(obeying(task, outcome.text), task.maxTokens) }
    await pause(Math.min(uses, MOST_WAITS) * this.settings.thinkMs)
    const left = (task.maxTokens ?? Number.POSITIVE_INFINITY) - uses * CALL_TOKENS
    if (left <= 0) return { status: 'error', text: 'max_tokens is used up', steps: 1 }
    return { ...outcome, text: cut(obeying(task, outcome.text), left) }
  }

  override metrics(task: Task, outcome: Outcome, call: Call) {
    const uses = Math.max(0, outcome.steps - 1)
    const first = tokensIn(task.systemPrompt) + tokensIn(task.input)
    return {
      ...super.metrics(task, outcome, call),
      input_tokens: outcome.steps * first + ((CALL_TOKENS + RESULT_TOKENS) * uses * outcome.steps) / 2,
      output_tokens: uses * CALL_TOKENS + tokensIn(outcome.text),
    }
  }
}
