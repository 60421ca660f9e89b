import type { Asked } from '@agent-task-service/messages/asked'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import {
  isWrittenId,
  type Written,
  type WrittenCall,
  type WrittenRules,
} from '@agent-task-service/messages/written-call'
import type { OpenAICompatibleModel } from '@agent-task-service/openai-compatible'
import type { BaseChatModel, BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { AIMessage } from '@langchain/core/messages'
import { allowsWritten, isGuarded, mayHaveEffects } from '../tools/guarded-tools.ts'
import { forces, type ModelCallRequest } from './model-call.ts'

interface Known {
  readonly request: ModelCallRequest
  readonly asked: Asked
  /** Whether the model has made a call in this process, or its server reads what it writes. */
  readonly makesCalls: boolean
  /** Whether it has been asked once more. */
  readonly hasAsked: boolean
  /** Names of tools, or `*`: `WRITTEN_CALLS`. */
  readonly allowed: readonly string[]
  /** For tool calls, in the run. */
  readonly stepsLeft: number | undefined
}

/**
 * What becomes of calls that a model wrote into its text, instead of making them:
 *
 * 1. what the task, or what a tool returned, itself calls somewhere is quoted, so it is text
 * 2. a model that makes calls does not write them: it is asked once more, and what comes then is its answer
 * 3. what may have side effects does not run, unless the operator names it: the model is asked once more to call it, the second
 *    call gets its reason as its result, and a third one is the answer
 */
export class WrittenCalls implements WrittenRules {
  readonly #known: Known

  constructor(known: Known) {
    this.#known = known
  }

  /** One more than can run, since the model's own step is still to be counted: it is answered as not run. */
  get max(): number | undefined {
    const { stepsLeft } = this.#known
    return stepsLeft === undefined ? undefined : Math.max(stepsLeft, 1)
  }

  accepts(calls: readonly WrittenCall[], how: Written): boolean {
    const isQuotation = calls.some(call => this.#known.asked.quotes(call))
    return !isQuotation && this.#verdict(calls, how) !== 'text'
  }

  /** Whether the model is asked once more to make those that it accepted as calls. */
  asksAgain(calls: readonly { readonly name: string }[]): boolean {
    return this.#verdict(calls, { areMarked: true, areLast: true }) === 'ask'
  }

  #verdict(
    calls: readonly { readonly name: string }[],
    { areMarked, areLast }: Written,
  ): 'make' | 'ask' | 'text' {
    const { makesCalls, hasAsked } = this.#known
    if (makesCalls && calls.length === 0) return hasAsked ? 'text' : 'make'
    if (makesCalls) return areMarked && areLast && !hasAsked ? 'ask' : 'text'
    const tools = this.#known.request.tools.filter(tool => calls.some(({ name }) => name === nameOf(tool)))
    const refused = tools.filter(tool => this.#isRefused(tool))
    if (refused.length === 0) return 'make'
    if (this.#hasRefused(refused)) return 'text'
    if (!hasAsked) return 'ask'
    return refused.every(isGuarded) ? 'make' : 'text'
  }

  #isRefused(tool: BindToolsInput): boolean {
    const { request, allowed } = this.#known
    const name = nameOf(tool)
    if (allowsWritten(allowed, name)) return false
    // The form of an answer, which nobody runs.
    const isForm = !('invoke' in tool) && forces(request.binding.tool_choice, name)
    return !isForm && mayHaveEffects(tool)
  }

  /** Whether a written call of such a tool has its result already. */
  #hasRefused(tools: readonly BindToolsInput[]): boolean {
    const names = tools.map(nameOf)
    const made = this.#known.request.messages.flatMap(message => (message as AIMessage).tool_calls ?? [])
    return made.some(({ id, name }) => isWrittenId(id) && names.includes(name))
  }
}

/** Vendors who serve their own models only, by LangChain's name and by host. */
const PROVIDERS = [
  'anthropic',
  'google_genai',
  'google_vertexai',
  'amazon_bedrock',
  'mistral',
  'xai',
  'cohere',
]
const HOSTS =
  /(?:^|\.)(?:openai\.com|openai\.azure\.com|anthropic\.com|googleapis\.com|amazonaws\.com|mistral\.ai|x\.ai|cohere\.(?:com|ai))$/

/** Whether a model is of this project's own class, which is loaded only by those who use it. */
export function isOpenAICompatible(model: object): model is OpenAICompatibleModel {
  return typeof (model as Partial<OpenAICompatibleModel>).endpoint === 'string'
}

/** Whether a model is asked through the API of a vendor whose server reads its calls: then it writes none into its text. */
export function readsCalls(model: BaseChatModel): boolean {
  if (isOpenAICompatible(model)) return HOSTS.test(new URL(model.endpoint).hostname)
  const { ls_provider: provider = '' } = model.getLsParams({} as never)
  return PROVIDERS.includes(provider)
}
