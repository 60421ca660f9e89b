import type { Spent } from './budget.ts'
import type { RunEvent } from './events.ts'

/** Usage of one run. Tokens as the provider reports them, else counted in o200k_base. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Model calls and tool calls; a model call that is tried again is one step. */
  readonly steps: number
}

/** Adds up what a run uses, from its events. */
export class Meter implements Spent {
  /** Raised when a call begins, before its event: calls that begin together must not exceed the limit together. */
  steps = 0
  inputTokens = 0
  outputTokens = 0
  lastCall = { inputTokens: 0, outputTokens: 0 }
  /** Name of the model that was asked last. */
  model: string | undefined
  readonly toolsUsed = new Set<string>()

  record(event: RunEvent): void {
    switch (event.type) {
      case 'model_started':
        this.model = event.model
        break
      case 'tool_started':
        if (event.tool) this.toolsUsed.add(event.tool)
        break
      case 'model_finished':
      case 'model_failed': {
        const { inputTokens, outputTokens } = event
        this.inputTokens += inputTokens
        this.outputTokens += outputTokens
        if (inputTokens + outputTokens > 0) this.lastCall = { inputTokens, outputTokens }
      }
    }
  }

  get usage(): Usage {
    const { inputTokens, outputTokens, steps } = this
    return { inputTokens, outputTokens, steps }
  }
}
