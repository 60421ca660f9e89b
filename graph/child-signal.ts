/** A signal that follows its parent until it is disposed of: a long-lived signal must not gather listeners. */
export function childSignal(parent: AbortSignal | undefined): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const follow = () => controller.abort(parent?.reason)
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow, { once: true })
  return { signal: controller.signal, [Symbol.dispose]: () => parent?.removeEventListener('abort', follow) }
}
