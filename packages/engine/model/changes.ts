import { textWithCalls } from '@agent-task-service/messages/message-text'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import { acceptedCap, contextIn } from '../failures/refused-limits.ts'
import { type Change, type Facts, factsOf } from './facts-from-refusals.ts'
import type { AttemptState, FailedAttempt } from './listed-model.ts'
import type { ModelCallRequest } from './model-call.ts'
import { toolsNamedIn } from './named-tools.ts'
import { factKey } from './plain-tool.ts'
import { sizeOf } from './shortened.ts'

/** A request that a model's server refused, and what is known of that model. */
export type RefusedRequest = AttemptState & FailedAttempt

/** Members that only shape the answer. */
const SAMPLING =
  'temperature top_p top_k min_p presence_penalty frequency_penalty repetition_penalty seed'.split(' ')
const refusalOf = (member: string) => `refuses_${member}` as const
/** A refusal of what a member is called rather than of its value. */
const UNKNOWN =
  /unsupported|not[ _-](?:permitted|allowed|supported)|unknown[ _]|unrecognized|unexpected|extra[ _](?:inputs|fields|forbidden)|does(?: not|n't) support/i

/** What refusals name, in the first group if there is one, and what they teach. `isUnknown`: only if they do not know it. */
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
    says: /((?:system|developer)[ _]?(?:role|message|prompt|instruction)s?)\b[^.]{0,40}\bnot\b/i,
    teaches: { refuses_system: true },
  },
  // A model that takes no tools at all.
  {
    says: /(?:not|to) support (?:any )?(?:tools?|functions?)\b|\b(?:tools|tool[- _](?:use|calls|calling|choice)|functions|function[- _]calling)["'`]? (?:is|are) not (?:supported|enabled|available|allowed)|--enable-auto-tool-choice/i,
    teaches: { refuses_tools: true },
  },
  {
    says: /\b(?:unsupported|unrecognized|unknown|unexpected)[ _](?:request )?(?:param|arg|field|key|name)[^.;]{0,40}\btools\b(?!["'`]?[.[])/i,
    teaches: { refuses_tools: true },
  },
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
  const { error, request, sentCap, model, facts } = refused
  const { trouble, report } = error
  const words = withoutEchoes(wordsOf(refused), request.messages)
  yield otherApi(refused, words)
  if (report?.status === 404 && model.hasAnsweredTo(facts)) yield ofRun({ refuses_thoughts: true })
  if (trouble === 'rejected' || trouble === 'cap_too_high') yield named(refused, words)
  if (trouble === 'cap_too_high' && sentCap !== undefined && sentCap > 1)
    yield ofRun({ cap: acceptedCap(words, sentCap) })
  if (trouble === 'cap_too_high' || trouble === 'context_too_long') yield* shorter(request, words)
  if (trouble === 'rejected' || report?.status === TOO_LARGE) yield* refusedTools(refused, words)
}

/** Those that it names, with plain schemas, then without them; or all, if it speaks of schemas; or it names nothing. */
async function* refusedTools(refused: RefusedRequest, words: string): AsyncGenerator<readonly Change[]> {
  const { error, request } = refused
  const tools = namedTools(refused)
  const [ofSchemas] = OF_SCHEMAS.exec(words) ?? []
  if (tools.length > 0) {
    yield [{ facts: ofTools('plain', tools), isGeneral: true }]
    yield [{ facts: ofTools('left_out', tools), isGeneral: true }]
    return
  }
  if (ofSchemas)
    yield [{ facts: ofTools('plain', suspectTools(refused)), isGeneral: !isEchoed(ofSchemas, request) }]
  if (REFUSED.includes(error.report?.status ?? 0) && !namesSetting(refused, words))
    yield* unnamed(refused, words)
}

/** The tools that a refusal names. */
export function namedTools({ request, call, error }: RefusedRequest): readonly BindToolsInput[] {
  if (error.trouble !== 'rejected') return []
  const names = toolsNamedIn(wordsOf({ error }), request.tools, request.messages).map(nameOf)
  return call.tools.filter(tool => names.includes(nameOf(tool)))
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
function otherApi({ model, error, facts }: RefusedRequest, words: string): readonly Change[] {
  const { status = 0 } = error.report ?? {}
  const endpoint = model.formOf(facts)
  if (!endpoint?.mayChangeApi) return []
  const isAbsent = [405, 501].includes(status) || (status === 404 && !/model|item/i.test(words))
  if (endpoint.api === 'responses' && isAbsent && !model.hasAnsweredTo(facts))
    return [{ facts: { api: 'chat' }, isGeneral: true }]
  const isElsewhere = status >= 400 && status < 500 && /\/responses\b/.test(words)
  const mayLeave = endpoint.api === 'chat' && facts.api === undefined
  return mayLeave && isElsewhere ? [{ facts: { api: 'responses' }, isGeneral: true }] : []
}

/** What the words say of the model. What the conversation has too may be quoted. */
function named({ request, sentCap, model, facts }: RefusedRequest, words: string): readonly Change[] {
  const isUnknown = UNKNOWN.test(words)
  const endpoint = model.formOf(facts)
  const capName = endpoint?.capName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  const rules = [
    ...NAMED,
    ...SAMPLING.filter(name => model.members.includes(name)).map(name => ({
      says: new RegExp(`\\b${name}\\b`),
      isUnknown: true,
      teaches: factsOf([refusalOf(name)], true),
    })),
    ...(sentCap !== undefined && endpoint
      ? [{ says: new RegExp(endpoint.capName), isUnknown: true, teaches: { capName } as const }]
      : []),
    ...(request.binding.tool_choice === 'none'
      ? [{ says: /tool[_ ]?choice/i, teaches: { refuses_tool_choice: true } as const }]
      : []),
  ]
  return rules.flatMap(rule => {
    const [whole, said = whole] = rule.says.exec(words) ?? []
    if (said === undefined || (rule.isUnknown && !isUnknown)) return []
    return [{ facts: rule.teaches, isGeneral: !isEchoed(said, request) }]
  })
}

/** Whether the conversation has these words, however they are spaced and spelt. */
function isEchoed(words: string, { messages }: ModelCallRequest): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return plain(conversationOf(messages)).includes(plain(words))
}

/** What a server can do without, from what costs the answer least to what costs it most. */
async function* unnamed(refused: RefusedRequest, words: string): AsyncGenerator<readonly Change[]> {
  const { request, call, model, error } = refused
  yield ofRun({ refuses_tool_choice: true })
  yield ofRun({ refuses_thoughts: true })
  // Neither makes it smaller.
  if (!model.knownIn(call).acceptedTools && error.report?.status !== TOO_LARGE) {
    const sampling = SAMPLING.filter(name => model.members.includes(name))
    yield ofRun(factsOf(sampling.map(refusalOf), true))
    yield ofRun({ refuses_system: true })
  }
  yield* shorter(request, words)
  const suspects = suspectTools(refused)
  yield ofRun(ofTools('plain', suspects))
  if (suspects.length > 0) yield ofRun({ refuses_tools: true })
}

/** Those that the run was not answered with before. */
function suspectTools({ call, model }: RefusedRequest): readonly BindToolsInput[] {
  const { acceptedTools } = model.knownIn(call)
  return call.tools.filter(tool => !acceptedTools?.includes(tool))
}

function ofTools(fact: 'plain' | 'left_out', tools: readonly BindToolsInput[]): Facts {
  return factsOf(tools.map(factKey), fact)
}

/** To the size of the context, or to half. */
async function* shorter({ messages }: ModelCallRequest, words: string): AsyncGenerator<readonly Change[]> {
  const context = contextIn(words)
  if (context !== undefined) yield ofRun({ context })
  yield ofRun({ conversation: Math.floor((await sizeOf(messages)) / 2) })
}

/** Whether a refusal names what caller or operator set: a message of theirs, or a member. */
function namesSetting({ request, model, error, sentCap }: RefusedRequest, words: string): boolean {
  const place = /\bmessages?[.[](\d+)/.exec(words)?.[1]
  // Some do not count the system message.
  if (place !== undefined)
    return [0, 1].every(shift => request.messages[Number(place) + shift]?.type !== 'ai')
  const { param = '' } = error.report ?? {}
  const caps = sentCap === undefined ? [] : ['max_tokens', 'max_completion_tokens', 'max_output_tokens']
  return [...model.members, ...caps, 'response_format'].some(member => {
    const isWord = !member.includes('_') && !SAMPLING.includes(member)
    const name = isWord ? `["'\`]${member}["'\`]` : `\\b${member}\\b`
    return param === member || new RegExp(name).test(words)
  })
}
