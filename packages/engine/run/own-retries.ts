import type { Serialized } from '@langchain/core/load/serializable'

/** What LangChain's classes do unless they are told otherwise. */
const DEFAULT = 6

/**
 * How often a model's class repeats a failed request by itself. Told by the arguments of its constructor, which the classes of
 * the large providers show; of any other class it is unknown, and counts as 0.
 */
export function ownRetries(model: Serialized): number {
  if (model.type !== 'constructor') return 0
  const { max_retries: retries = DEFAULT } = model.kwargs
  return Number(retries)
}
