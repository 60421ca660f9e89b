import type { Asked } from '@agent-task-service/test-support/asked'
import { openAIError } from '../providers/hosted.ts'
import type { Refusal } from '../providers/provider.ts'

type Item = Readonly<Record<string, unknown>>

const MEMBERS =
  'model input tools tool_choice stream store include max_output_tokens reasoning text temperature parallel_tool_calls metadata'
const TOOL_MEMBERS = 'type name description parameters strict'
const ITEM_MEMBERS: Record<string, string> = {
  message: 'type id role content status phase',
  function_call: 'type id call_id name arguments status',
  function_call_output: 'type call_id output',
  reasoning: 'type id summary content encrypted_content status',
}

const unknown = (param: string) =>
  openAIError(`Unknown parameter: '${param}'.`, { code: 'unknown_parameter', param })
const foreignIn = (value: object, known: string) =>
  Object.keys(value).find(name => !known.split(' ').includes(name))

/** What OpenAI documents of `/v1/responses`, for a model that reasons and a client that lets nothing be stored. */
export const responsesRules: readonly ((asked: Asked) => Refusal | undefined)[] = [
  asked => {
    const member = foreignIn(asked, MEMBERS)
    return member ? unknown(member) : undefined
  },
  asked => {
    for (const [at, tool] of ((asked.tools ?? []) as readonly object[]).entries()) {
      const refusal = objectionToTool(tool, at)
      if (refusal) return refusal
    }
    return undefined
  },
  ({ max_output_tokens: cap }) =>
    typeof cap === 'number' && cap < 16
      ? openAIError(
          `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${cap} instead.`,
          { code: 'integer_below_min_value', param: 'max_output_tokens' },
        )
      : undefined,
  ({ temperature }) =>
    temperature === undefined
      ? undefined
      : openAIError("Unsupported parameter: 'temperature' is not supported with this model.", {
          param: 'temperature',
        }),
  ({ input }) => objectionTo(input as readonly Item[]),
]

function objectionToTool(tool: object, at: number): Refusal | undefined {
  if (!('name' in tool))
    return openAIError(`Missing required parameter: 'tools[${at}].name'.`, {
      code: 'missing_required_parameter',
    })
  const member = foreignIn(tool, TOOL_MEMBERS)
  if (member) return unknown(`tools[${at}].${member}`)
  if ('strict' in tool && tool.strict !== false)
    return openAIError(
      `Invalid schema for function '${tool.name}': in strict mode every property is required.`,
    )
  return undefined
}

function objectionTo(input: readonly Item[]): Refusal | undefined {
  const pairing = new Pairing()
  for (const [at, item] of input.entries()) {
    const refusal = objectionToItem(item, at) ?? pairing.objectionTo(item)
    if (refusal) return refusal
  }
  return pairing.objectionToEnd()
}

function objectionToItem(item: Item, at: number): Refusal | undefined {
  const known = ITEM_MEMBERS[String(item.type)]
  if (!known)
    return openAIError(`Invalid value: '${item.type}'.`, { param: `input[${at}]`, code: 'invalid_value' })
  const member = foreignIn(item, known)
  if (member) return unknown(`input[${at}].${member}`)
  if (item.type === 'reasoning' && !item.encrypted_content)
    return openAIError(
      `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      { status: 404, param: 'input' },
    )
  return undefined
}

/** Which items belong together: calls and the reasoning before them, results and their calls. */
class Pairing {
  #openCalls: unknown[] = []
  #hasReasoning = false

  objectionTo(item: Item): Refusal | undefined {
    if (item.type === 'reasoning') this.#hasReasoning = true
    if (item.type === 'message' && item.role !== 'assistant') this.#hasReasoning = false
    if (item.type === 'function_call') return this.#objectionToCall(item)
    if (item.type === 'function_call_output') return this.#objectionToResult(item)
    return undefined
  }

  #objectionToCall({ id, call_id }: Item): Refusal | undefined {
    if (id && !this.#hasReasoning)
      return openAIError(
        `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.`,
        { param: 'input' },
      )
    this.#openCalls.push(call_id)
    return undefined
  }

  #objectionToResult({ call_id }: Item): Refusal | undefined {
    if (!this.#openCalls.includes(call_id))
      return openAIError(`No tool call found for function call output with call_id ${call_id}.`, {
        param: 'input',
      })
    this.#openCalls = this.#openCalls.filter(id => id !== call_id)
    return undefined
  }

  objectionToEnd(): Refusal | undefined {
    const [open] = this.#openCalls
    return this.#openCalls.length > 0
      ? openAIError(`No tool output found for function call ${open}.`, { param: 'input' })
      : undefined
  }
}
