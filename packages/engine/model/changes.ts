import { textWithCalls } from '@agent-task-service/messages/message-text'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { EndpointQuirks } from '@agent-task-service/openai-compatible'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import type { ClassifiedError } from '../failures/classify-error.ts'
import { acceptedCap, contextIn } from '../failures/refused-limits.ts'
import type { Facts, ToolFacts } from './facts-from-refusals.ts'
import type { ModelCallRequest } from './model-call.ts'
import { toolsNamedIn } from './named-tools.ts'
import { definitionOf } from './plain-tool.ts'
import { sizeOf } from './shortened.ts'

/** A request that a model's server refused. */
export interface RefusedRequest {
  /** As it was sent. */
  readonly request: ModelCallRequest
  /** As they were bound. */
  readonly tools: readonly BindToolsInput[]
  /** The cap that was sent, if any. */
  readonly sentCap: number | undefined
  readonly error: ClassifiedError
  /** What was known of the model. */
  readonly facts: Facts
  readonly toolFacts: ToolFacts
  /** Settings that its requests have, such as `temperature`. */
  readonly members: readonly string[]
  /** Whether it has answered before, in the same API and any run. */
  readonly hasAnswered: boolean
  /** Those with which it has answered in this run; absent: it has not. */
  readonly acceptedTools: readonly BindToolsInput[] | undefined
  /** How it is asked, if it is asked in OpenAI's APIs. */
  readonly endpoint: Endpoint | undefined
  /** Whether the run is of no use without the tool. */
  readonly needs: (tool: BindToolsInput) => boolean
}

type Endpoint = Required<Pick<EndpointQuirks, 'api' | 'capName'>> & { readonly mayChangeApi: boolean }

/** What a refusal teaches of the model. */
export interface Change {
  readonly facts?: Facts
  readonly tools?: ToolFacts
  /** Whether it may hold for other runs too. */
  readonly isGeneral: boolean
}

/** Members that only shape the answer. */
const SAMPLING =
  'temperature top_p top_k min_p presence_penalty frequency_penalty repetition_penalty seed'.split(' ')
/** A refusal of what a member is called rather than of its value. */
const UNKNOWN =
  /unsupported|not[ _-](?:permitted|allowed|supported)|unknown[ _]|unrecognized|unexpected|extra[ _](?:inputs|fields|forbidden)|does(?: not|n't) support/i

/** What refusals name, and what they teach. `isUnknown`: only if they do not know it. */
const NAMED: readonly { readonly says: RegExp; readonly isUnknown?: boolean; readonly teaches: Facts }[] = [
  { says: /stream_options/, teaches: { refuses_stream_options: true } },
  {
    says: /encrypted[ _]content/i,
    isUnknown: true,
    teaches: { refuses_include: true, refuses_thoughts: true },
  },
  {
    says: /reasoning_(?:content|details)|thinking_blocks/,
    isUnknown: true,
    teaches: { refuses_thoughts: true },
  },
  {
    says: /(?:system|developer)[ _]?(?:role|message|prompt|instruction)s?\b[^.]{0,40}\bnot\b/i,
    teaches: { refuses_system: true },
  },
  // A model that takes no tools at all.
  {
    says: /not support (?:any )?(?:tools?\b|functions?\b|tool[- _](?:use|calls?|calling|choice)|function[- _]calling)/i,
    teaches: { refuses_tools: true },
  },
  {
    says: /\b(?:tools?|tool[- _](?:use|calls|calling|choice)|functions|function[- _]calling)["'`]? (?:is|are) not (?:supported|enabled|available|allowed)/i,
    teaches: { refuses_tools: true },
  },
  {
    says: /\b(?:unsupported|unrecognized|unknown|unexpected)[ _](?:request )?(?:param|arg|field|key|name)[^.;]{0,40}\btools\b(?!["'`]?[.[])/i,
    teaches: { refuses_tools: true },
  },
  { says: /--enable-auto-tool-choice|support tool use/i, teaches: { refuses_tools: true } },
  // What is required in turns of other models, and what is taken in its place, as the providers document it: DeepSeek with
  // thinking, Gemini, Mistral.
  {
    says: /missing `?reasoning_content|needs its reasoning_content/i,
    teaches: { standIns: { message: { reasoning_content: '' } } },
  },
  {
    says: /missing a `?thought_signature/i,
    teaches: {
      standIns: {
        call: { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
      },
    },
  },
  { says: /tool call id was .{0,100} must be/i, teaches: { hasShortIds: true } },
]

/** Says of what no more than that there is too much of it. */
const TOO_LARGE = 413
/** Statuses with which a request is refused as it is; llama.cpp's for a schema that it cannot read. */
const REFUSED = [400, TOO_LARGE, 422, 500]
/** Words for the tools of a request, of which it names none. */
const OF_SCHEMAS = /\bschemas?\b|\bgrammar\b|function_?declaration/i

/**
 * What to change about a refused request, in the order in which to try it: what the refusal names; then, if that is nothing that
 * caller or operator set, what the server can do without. Each comes to those before it.
 */
export async function* changesFor(refused: RefusedRequest): AsyncGenerator<readonly Change[]> {
  const { error, request, sentCap } = refused
  const { status = 0 } = error.report ?? {}
  const words = withoutEchoes(wordsOf(refused), request.messages)
  yield otherApi(refused, words)
  if (status === 404 && refused.hasAnswered) yield ofRun({ refuses_thoughts: true })
  if (error.trouble === 'rejected' || error.trouble === 'cap_too_high') yield named(refused, words)
  if (error.trouble === 'cap_too_high' && sentCap !== undefined && sentCap > 1)
    yield ofRun({ cap: acceptedCap(words, sentCap) })
  if (error.trouble === 'cap_too_high' || error.trouble === 'context_too_long') yield* shorter(request, words)
  if (error.trouble !== 'rejected' && status !== TOO_LARGE) return
  const tools = namedTools(refused)
  if (tools.length > 0) return yield* changedTools(refused, tools)
  if (OF_SCHEMAS.test(words)) yield plainTools(refused, true)
  if (REFUSED.includes(status) && !namesSetting(refused, words)) yield* unnamed(refused, words)
}

/** The tools that a refusal names. */
export function namedTools({ request, tools, error }: RefusedRequest): readonly BindToolsInput[] {
  if (error.trouble !== 'rejected') return []
  const names = toolsNamedIn(wordsOf({ error }), request.tools, request.messages).map(nameOf)
  return tools.filter(tool => names.includes(nameOf(tool)))
}

function wordsOf({ error }: Pick<RefusedRequest, 'error'>): string {
  const { code, param, message } = error.report ?? {}
  return [code, param, message].filter(Boolean).join(' ')
}

/** Without what changes most, if a refusal may have quoted it from the conversation. */
export function withoutEchoes(words: string, messages: readonly BaseMessage[]): string {
  const conversation = conversationOf(messages)
  return words.replaceAll(/\d[\d,_]*|tool[_ ]?choice|\/responses/gi, word =>
    conversation.includes(word) ? '' : word,
  )
}

function conversationOf(messages: readonly BaseMessage[]): string {
  return messages.map(textWithCalls).join('\n')
}

function ofRun(facts: Facts): readonly Change[] {
  return [{ facts, isGeneral: false }]
}

/** A chat refusal may point to Responses; or Responses is not there, and has never answered. */
function otherApi({ endpoint, error, facts, hasAnswered }: RefusedRequest, words: string): readonly Change[] {
  const { status = 0 } = error.report ?? {}
  if (!endpoint?.mayChangeApi) return []
  const isAbsent = [405, 501].includes(status) || (status === 404 && !/model|item/i.test(words))
  if (endpoint.api === 'responses' && isAbsent && !hasAnswered)
    return [{ facts: { api: 'chat' }, isGeneral: true }]
  const isElsewhere = status >= 400 && status < 500 && /\/responses\b/.test(words)
  const mayLeave = endpoint.api === 'chat' && facts.api === undefined
  return mayLeave && isElsewhere ? [{ facts: { api: 'responses' }, isGeneral: true }] : []
}

/** What the words say of the model. What they have from the conversation, word for word, may be quoted. */
function named({ request, sentCap, endpoint, members }: RefusedRequest, words: string): readonly Change[] {
  const isUnknown = UNKNOWN.test(words)
  const capName = endpoint?.capName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  const rules = [
    ...NAMED,
    ...SAMPLING.filter(name => members.includes(name)).map(name => ({
      says: new RegExp(`\\b${name}\\b`),
      isUnknown: true,
      teaches: { [`refuses_${name}`]: true as const },
    })),
    ...(sentCap !== undefined && endpoint
      ? [{ says: new RegExp(endpoint.capName), isUnknown: true, teaches: { capName } as const }]
      : []),
    ...(request.binding.tool_choice === 'none'
      ? [{ says: /tool[_ ]?choice/i, teaches: { refuses_tool_choice: true } as const }]
      : []),
  ]
  const conversation = conversationOf(request.messages)
  return rules.flatMap(rule => {
    const [said] = rule.says.exec(words) ?? []
    if (said === undefined || (rule.isUnknown && !isUnknown)) return []
    return [{ facts: rule.teaches, isGeneral: !conversation.includes(said) }]
  })
}

/** The tools with plain schemas, then without them. */
function* changedTools(
  { toolFacts: known, needs }: RefusedRequest,
  named: readonly BindToolsInput[],
): Generator<readonly Change[]> {
  const unknown = named.filter(tool => known[definitionOf(tool)] === undefined)
  yield [{ tools: toolFacts('plain', unknown), isGeneral: true }]
  const spare = named.filter(tool => !needs(tool))
  yield [{ tools: toolFacts('left_out', spare), isGeneral: true }]
}

/** What a server can do without, from what costs the answer least to what costs it most. */
async function* unnamed(refused: RefusedRequest, words: string): AsyncGenerator<readonly Change[]> {
  const { request, tools, members, acceptedTools, needs } = refused
  yield ofRun({ refuses_tool_choice: true })
  yield ofRun({ refuses_thoughts: true })
  if (acceptedTools === undefined) {
    const sampling = SAMPLING.filter(name => members.includes(name))
    yield ofRun(Object.fromEntries(sampling.map(name => [`refuses_${name}`, true as const])))
    yield ofRun({ refuses_system: true })
  }
  yield* shorter(request, words)
  yield plainTools(refused, false)
  const isSuspect = tools.some(tool => !acceptedTools?.includes(tool))
  if (isSuspect && !tools.some(needs)) yield ofRun({ refuses_tools: true })
}

/** Those that the run was not answered with before, with plain schemas. */
function plainTools({ tools, acceptedTools }: RefusedRequest, isGeneral: boolean): readonly Change[] {
  const suspects = tools.filter(tool => !acceptedTools?.includes(tool))
  return [{ tools: toolFacts('plain', suspects), isGeneral }]
}

function toolFacts(fact: ToolFacts[string], tools: readonly BindToolsInput[]): ToolFacts {
  return Object.fromEntries(tools.map(tool => [definitionOf(tool), fact]))
}

/** To the size of the context, or to half. */
async function* shorter({ messages }: ModelCallRequest, words: string): AsyncGenerator<readonly Change[]> {
  const context = contextIn(words)
  if (context !== undefined) yield ofRun({ context })
  yield ofRun({ conversation: Math.floor((await sizeOf(messages)) / 2) })
}

/** Whether a refusal names what caller or operator set: a message of theirs, or a member. */
function namesSetting({ request, members, error, sentCap }: RefusedRequest, words: string): boolean {
  const place = /\bmessages?[.[](\d+)/.exec(words)?.[1]
  // Some do not count the system message.
  if (place !== undefined)
    return [0, 1].every(shift => request.messages[Number(place) + shift]?.type !== 'ai')
  const { param = '' } = error.report ?? {}
  const caps = sentCap === undefined ? [] : ['max_tokens', 'max_completion_tokens', 'max_output_tokens']
  return [...members, ...caps, 'response_format'].some(member => {
    const isWord = !member.includes('_') && !SAMPLING.includes(member)
    const name = isWord ? `["'\`]${member}["'\`]` : `\\b${member}\\b`
    return param === member || new RegExp(name).test(words)
  })
}
