import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { RunTree } from 'langsmith'

let disabled: RunTree | undefined

/**
 * A handler that stands where LangSmith's tracer would, in a run that is not traced. Without a tracer, LangChain builds a
 * disabled run tree for each runnable of the graph, with an id, a date and settings from the environment; with this one,
 * all share the same.
 */
export const UNTRACED = standIn()

/** The same for a run that is left out while others are traced. It stays: without it, LangChain would trace by itself. */
export const LEFT_OUT = standIn()

export const STAND_INS = [UNTRACED, LEFT_OUT] as const

function standIn(): BaseCallbackHandler {
  /** By this name, LangChain looks for LangSmith's tracer. LangSmith looks for an object, and so does not find it. */
  function langchain_tracer(): void {
    // Never called.
  }
  return Object.assign(langchain_tracer, {
    awaitHandlers: true,
    ignoreAgent: true,
    ignoreChain: true,
    ignoreCustomEvent: true,
    ignoreLLM: true,
    ignoreRetriever: true,
    /** Called by LangChain, which changes what it gets: all have one tree behind them, but their own `extra` and children. */
    getRunTreeWithTracingConfig(): RunTree {
      // Falsy, as LangSmith reads it. At `false` itself, LangChain removes the tracers below, this handler among them.
      disabled ??= new RunTree({ name: '<untraced>', tracingEnabled: 0 as never })
      const tree: RunTree = Object.create(disabled)
      tree.child_runs = []
      return tree
    },
  }) as unknown as BaseCallbackHandler
}
