import type { BaseChatModel, BaseChatModelCallOptions } from '@langchain/core/language_models/chat_models'
import {
  assembleStructuredOutputPipeline,
  createContentParser,
  createFunctionCallingParser,
} from '@langchain/core/language_models/structured_output'
import type { RunnableInterface } from '@langchain/core/runnables'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { isObject, textIn } from '../json.ts'

/** Options of `withStructuredOutput`, as LangChain names them. */
export interface StructuredOutputOptions {
  readonly name?: string
  readonly method?: string
  readonly strict?: boolean
  readonly includeRaw?: boolean
}

type FormedModel = BaseChatModel<BaseChatModelCallOptions & { readonly response_format?: unknown }>

/**
 * A model whose answer has a form. As ChatOpenAI does it, except that `functionCalling` is the default, which more servers
 * understand.
 *
 * @param form of Zod or another library, JSON Schema, or a function of OpenAI's
 */
export function withStructuredOutput(
  model: FormedModel,
  form: unknown,
  { name: given, method = 'functionCalling', strict, includeRaw }: StructuredOutputOptions = {},
): RunnableInterface {
  const json = toJsonSchema(form as never) as Readonly<Record<string, unknown>>
  const name = given ?? textIn(json.name) ?? 'extract'
  const description = textIn(json.description)
  const schema = isObject(json.parameters) ? json.parameters : json
  if (method === 'functionCalling') {
    const tool = { type: 'function', function: { name, description, parameters: schema } } as const
    const asked = model.bindTools!([tool], { tool_choice: name })
    const parser = createFunctionCallingParser(form as never, name)
    return assembleStructuredOutputPipeline(asked, parser, includeRaw, 'StructuredOutput')
  }
  const json_schema = { name, description, schema, strict }
  const response_format =
    method === 'jsonMode' ? { type: 'json_object' } : { type: 'json_schema', json_schema }
  const asked = model.withConfig({ response_format })
  return assembleStructuredOutputPipeline(
    asked,
    createContentParser(form as never),
    includeRaw,
    'StructuredOutput',
  )
}
