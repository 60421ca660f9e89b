import { stampRetryable } from '@langchain/core/errors'
import type { StopReason } from './stop-reason.ts'

/**
 * A run that cannot be answered. `message` goes to the caller verbatim, so it must hold no secret and no external text except
 * a model's refusal, a tool's error, or the part of the task that the offline model does not understand.
 *
 * @example
 * throw new RunFailure('refused', 'this agent only answers questions about orders')
 */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly reason: StopReason

  constructor(reason: StopReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    // LangChain's middleware does not repeat what ends a run: whatever may be tried again has been.
    stampRetryable(this, false)
  }

  /** The status of the reply. */
  get status(): 'timeout' | 'error' {
    return this.reason === 'deadline' || this.reason === 'shutdown' ? 'timeout' : 'error'
  }
}

/** An error and its causes, outermost first; nothing if it is no `Error`. */
export function causesOf(error: unknown): readonly Error[] {
  const chain = new Set<Error>()
  for (let link = error; link instanceof Error && !chain.has(link); link = link.cause) chain.add(link)
  return [...chain]
}

/** The failure itself, or the one that what was thrown wraps, as LangChain's middleware does; `undefined` if there is none. */
export function runFailureIn(thrown: unknown): RunFailure | undefined {
  return causesOf(thrown).find(link => link instanceof RunFailure)
}

/** The errors of LangGraph and its checkpointers for a run without a thread. */
const NEEDS_THREAD = /^Checkpointer requires one or more|missing a required "thread_id"/

/**
 * The run's end if a part of the graph needed a thread; else `undefined`.
 *
 * @param caller the part that threw: `the tool "x"`, `the node "y"`
 */
export function threadFailure(thrown: unknown, caller = 'a node'): RunFailure | undefined {
  if (runFailureIn(thrown)) return undefined
  const links: readonly (Error & { readonly lc_error_code?: string })[] = causesOf(thrown)
  if (links.some(({ lc_error_code }) => lc_error_code === 'MISSING_CHECKPOINTER')) {
    const message = `${caller} called interrupt(), which needs a thread; POST /run has none`
    return new RunFailure('not_over_http', message, { cause: thrown })
  }
  if (!links.some(({ message }) => NEEDS_THREAD.test(message))) return undefined
  const message = 'the graph is compiled with a checkpointer, which needs a thread; POST /run has none'
  return new RunFailure('not_over_http', message, { cause: thrown })
}
