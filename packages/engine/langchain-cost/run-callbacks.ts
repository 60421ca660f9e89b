import { randomUUID } from 'node:crypto'
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { CallbackManager } from '@langchain/core/callbacks/manager'
import { isTracingEnabled } from 'langsmith'
import { getCurrentRunTree } from 'langsmith/singletons/traceable'
import { STAND_INS, UNTRACED } from './untraced.ts'

type Metadata = Readonly<Record<PropertyKey, unknown>>

/**
 * LangChain's manager with the same behaviour for less work. LangChain copies a manager for each runnable of the graph,
 * handler by handler, tag by tag and key by key. These copies share their lists and metadata, which no method changes in
 * place; whatever is unusual is left to LangChain. `docs/decisions/langchain-cost.md` says what it saves.
 */
export class RunCallbacks extends CallbackManager {
  /** @param handlers receive the events of the run and of all that it calls */
  static of(handlers: readonly BaseCallbackHandler[]): RunCallbacks {
    const metadata = {}
    const callbacks = new RunCallbacks(undefined, { metadata, inheritableMetadata: metadata })
    if (!isTracingEnabled()) callbacks.addHandler(UNTRACED)
    for (const handler of handlers) callbacks.addHandler(handler)
    return callbacks
  }

  override copy(additional: BaseCallbackHandler[] = [], inherit = true): CallbackManager {
    // A node may trace what it does by itself.
    if (getCurrentRunTree(true)?.tracingEnabled) {
      const copy = super.copy(additional, inherit)
      for (const standIn of STAND_INS) copy.removeHandler(standIn)
      return copy
    }
    // LangChain's copy has each tag once, and gives local metadata to callees too.
    const isUsual = this.metadata === this.inheritableMetadata && new Set(this.tags).size === this.tags.length
    if (!isUsual || additional.length > 0) return super.copy(additional, inherit)
    return new RunCallbacks(this._parentRunId, this)
  }

  override async handleChainStart(...args: Parameters<CallbackManager['handleChainStart']>) {
    args[2] ??= this.#newRunId()
    return this.#withSharedChild(await super.handleChainStart(...args))
  }

  override async handleToolStart(...args: Parameters<CallbackManager['handleToolStart']>) {
    args[2] ??= this.#newRunId()
    return this.#withSharedChild(await super.handleToolStart(...args))
  }

  /** LangChain's own id, `undefined`, sorts by time, which a tracer needs, but asks the system for random bytes each time. */
  #newRunId(): string | undefined {
    return STAND_INS.some(standIn => this.handlers.includes(standIn)) ? randomUUID() : undefined
  }

  override addHandler(handler: BaseCallbackHandler, inherit = true): void {
    if (handler.name === UNTRACED.name) for (const standIn of STAND_INS) this.removeHandler(standIn)
    this.handlers = [...this.handlers, handler]
    if (inherit) this.inheritableHandlers = [...this.inheritableHandlers, handler]
  }

  override addTags(tags: string[], inherit = true): void {
    if (tags.length === 0) return
    super.addTags(tags, inherit)
    // Below a tracer, LangGraph gives a subgraph these tags twice.
    if (inherit && tags.some(tag => !tag.startsWith('langsmith:'))) this.removeHandler(UNTRACED)
  }

  override addMetadata(added: Metadata, inherit = true): void {
    const isOne = this.metadata === this.inheritableMetadata
    if (isOne && isIn(added, this.metadata)) return
    super.addMetadata(added, inherit)
    if (isOne && inherit) this.inheritableMetadata = this.metadata
  }

  override removeMetadata(removed: Metadata): void {
    this.metadata = { ...this.metadata }
    this.inheritableMetadata = { ...this.inheritableMetadata }
    super.removeMetadata(removed)
  }

  /** Lets the callees of a run share what they inherit. */
  #withSharedChild<Started extends { readonly runId: string; getChild: (tag?: string) => CallbackManager }>(
    run: Started,
  ): Started {
    const { inheritableHandlers, inheritableTags, inheritableMetadata } = this
    const inherited = {
      handlers: inheritableHandlers,
      inheritableHandlers,
      tags: inheritableTags,
      inheritableTags,
      metadata: inheritableMetadata,
      inheritableMetadata,
    }
    run.getChild = tag => {
      const child = new RunCallbacks(run.runId, inherited)
      if (tag) child.addTags([tag], false)
      return child
    }
    return run
  }
}

function isIn(part: Metadata, whole: Metadata): boolean {
  return Reflect.ownKeys(part).every(key => part[key] === whole[key] && Object.hasOwn(whole, key))
}
