import {
  createContentParser,
  createFunctionCallingParser,
} from '@langchain/core/language_models/structured_output'
import { AIMessageChunk } from '@langchain/core/messages'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { isObject, parseJson } from '../json.ts'

/** A form for the model's answer. */
export interface AnswerFormat {
  readonly method: 'jsonSchema' | 'jsonMode'
  readonly name: string
  readonly description?: string | undefined
  /** A JSON Schema. */
  readonly schema: object
  readonly strict?: boolean | undefined
}

/** Options of `withStructuredOutput`, as LangChain names them. */
export interface StructuredOutputOptions {
  readonly name?: string
  readonly method?: string
  readonly strict?: boolean
}

/** The schema given to `withStructuredOutput`: of Zod or another library, JSON Schema, or a function of OpenAI's. */
export function formatOf(
  given: unknown,
  { name, method, strict }: StructuredOutputOptions = {},
): AnswerFormat {
  const json = toJsonSchema(given as never) as Readonly<Record<string, unknown>>
  const { parameters, description } = json
  return {
    method: method === 'jsonMode' ? method : 'jsonSchema',
    name: name ?? (typeof json.name === 'string' ? json.name : 'extract'),
    description: typeof description === 'string' ? description : undefined,
    schema: isObject(parameters) ? parameters : json,
    strict,
  }
}

/** Reads the answer: checked if the schema can check, parsed if it is JSON Schema. */
export function parserOf(given: unknown, { name }: AnswerFormat, isCall: boolean) {
  return isCall ? createFunctionCallingParser(given as never, name) : createContentParser(given as never)
}

/** The format in a call option of LangChain's agents and OpenAI's clients. */
export function formatIn(responseFormat: unknown): AnswerFormat | undefined {
  if (!isObject(responseFormat)) return undefined
  const { type, json_schema: described } = responseFormat
  if (type === 'json_schema' && isObject(described))
    return { name: 'extract', ...described, method: 'jsonSchema' } as AnswerFormat
  return type === 'json_object'
    ? { method: 'jsonMode', name: 'extract', schema: { type: 'object' } }
    : undefined
}

/** The call options by which chat model classes know a format, as LangChain's agents write them. */
export function optionsFor({ method, ...json_schema }: AnswerFormat): Readonly<Record<string, unknown>> {
  const { schema } = json_schema
  if (method === 'jsonMode') return { response_format: { type: 'json_object' } }
  return {
    response_format: { type: 'json_schema', json_schema },
    outputConfig: { format: { type: 'json_schema', schema } },
    responseSchema: schema,
  }
}

/** A tool whose arguments are the answer, for models that know no format. */
export function toolOf({ name, description = 'Gives the answer.', schema }: AnswerFormat) {
  return { type: 'function', function: { name, description, parameters: schema } } as const
}

/** The reply, with a call of that tool as JSON in its place. */
export function asAnswer(reply: AIMessageChunk, format: AnswerFormat | undefined): AIMessageChunk {
  const call = reply.tool_calls?.find(({ name }) => name === format?.name)
  if (!call) return reply
  const { id, response_metadata, usage_metadata } = reply
  return new AIMessageChunk({ id, content: JSON.stringify(call.args), response_metadata, usage_metadata })
}

/** Whether the reply is in some form of JSON, or calls tools first. */
export function isInFormat({ text, tool_calls: calls = [] }: AIMessageChunk): boolean {
  const unfenced = text.replace(/^\s*```(?:json)?|```\s*$/g, '')
  return calls.length > 0 || parseJson(unfenced) !== undefined
}
