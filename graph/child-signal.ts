/** A signal that can be aborted by itself. */
export interface ChildSignal extends Disposable {
  readonly signal: AbortSignal
  abort(reason: Error): void
}

/** A signal that follows its parent until it is disposed of: a long-lived signal must not gather listeners. */
export function childSignal(parent: AbortSignal | undefined): ChildSignal {
  const controller = new AbortController()
  const follow = () => controller.abort(parent?.reason)
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    abort: reason => controller.abort(reason),
    [Symbol.dispose]: () => parent?.removeEventListener('abort', follow),
  }
}
