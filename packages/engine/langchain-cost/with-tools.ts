import type { BaseChatModel, BindToolsInput } from '@langchain/core/language_models/chat_models'
import { type Runnable, RunnableBinding } from '@langchain/core/runnables'

/** Members that a binding merges with those of a call, in place of being replaced by them. */
const MERGED = ['callbacks', 'configurable', 'metadata', 'signal', 'tags', 'timeout']

/**
 * A model with tools as what to invoke, and the options to invoke it with. LangChain's binding would merge the whole config
 * of the run twice, so it is taken apart, unless it binds more than options of the call.
 *
 * @param binding options for binding the tools, such as `tool_choice`
 */
export function withTools(
  model: BaseChatModel,
  tools: BindToolsInput[],
  binding: object,
): { readonly model: Pick<Runnable, 'invoke'>; readonly options: object } {
  if (tools.length === 0 || !model.bindTools) return { model, options: {} }
  const bound = model.bindTools(tools, binding)
  if (!(bound instanceof RunnableBinding) || bound.bound !== model) return { model: bound, options: {} }
  const { config, kwargs, configFactories } = bound
  const isPlain = !kwargs && !configFactories && MERGED.every(name => !(name in config))
  return isPlain ? { model, options: config } : { model: bound, options: {} }
}
