import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { echoesOf, type IsEchoed } from '../failures/echoes.ts'
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

/** A refusal of something altogether. */
const DENIED =
  /\b(?:no|not|cannot|unsupported|unknown|unrecognized|unexpected|invalid|disabled|requires?)\b|n't\b|unsupported_|unknown_/i

interface Naming {
  /** Names what the refusal is about. */
  readonly says: RegExp
  /** What it says besides. */
  readonly beside?: RegExp
  readonly unless?: RegExp
  readonly teaches: Facts
}

/** What refusals name, and what that teaches. */
const NAMED: readonly Naming[] = [
  { says: /stream_options|include_usage/, teaches: { refuses_stream_options: true } },
  {
    says: /encrypted[ _]content/i,
    beside: UNKNOWN,
    teaches: { refuses_include: true, refuses_thoughts: true },
  },
  {
    says: /reasoning_(?:content|details)|thinking_blocks/,
    beside: UNKNOWN,
    teaches: { refuses_thoughts: true },
  },
  {
    says: /\b(?:system|developer)[ _]?(?:role|message|prompt|instruction)s?\b|(?<=role\W{1,6}|["'`])(?:system|developer)\b/i,
    beside: DENIED,
    teaches: { refuses_system: true },
  },
  {
    says: /\btools\b(?!["'`]?[.[])|\btool[ _-](?:use|calls?|calling)\b|\bfunctions?(?:[ _-]calling)?\b(?=[^.]{0,20}(?:support|available|enabled))|--enable-auto-tool-choice/i,
    beside:
      /(?:\bnot?\b|n't\b)[^.]{0,60}\bsupport|un(?:supported|known|recognized|expected)|not (?:available|enabled|allowed|permitted)|requires/i,
    unless: /\b(?:schemas?|grammar)\b/i,
    teaches: { refuses_tools: true },
  },
  // What is required in turns of other models, and what is taken in its place, as the providers document it: DeepSeek with
  // thinking, Gemini, Mistral.
  {
    says: /reasoning_content/,
    beside: /missing|must|required|needs/i,
    unless: /unsupported|must not/i,
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

/** How often a conversation may be as long as its model takes; beyond, a number in the refusal is another one. */
const FAR_TOO_LONG = 16
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
  const { error, request, sentCap, isEchoed, model, facts } = refused
  const { trouble, report } = error
  const words = withoutEchoes(wordsOf(refused), isEchoed)
  const tools = namedTools(refused)
  yield otherApi(refused, words)
  if (report?.status === 404 && model.hasAnsweredTo(facts)) yield ofRun({ refuses_thoughts: true })
  if (['rejected', 'cap_too_high', 'not_found'].includes(trouble)) yield named(refused, words)
  if (trouble === 'rejected') yield* changedTools(refused, tools, words)
  if (trouble === 'cap_too_high' && sentCap !== undefined && sentCap > 1)
    yield ofRun({ cap: acceptedCap(words, sentCap) })
  if (trouble === 'cap_too_high' || trouble === 'context_too_long') yield* shorter(request, words)
  const isBare = trouble === 'rejected' && REFUSED.includes(report?.status ?? 0)
  if (!isBare && report?.status !== TOO_LARGE) return
  if (tools.length === 0 && !namesSetting(refused, words)) yield* unnamed(refused, words)
}

/** Those that it names, with plain schemas, then without them; all with plain schemas, if it speaks of schemas. */
function* changedTools(
  refused: RefusedRequest,
  tools: readonly BindToolsInput[],
  words: string,
): Generator<readonly Change[]> {
  if (tools.length > 0) {
    yield [{ facts: ofTools('plain', tools), isGeneral: true }]
    yield [{ facts: ofTools('left_out', tools), isGeneral: true }]
    return
  }
  const [said] = OF_SCHEMAS.exec(words) ?? []
  if (said) yield [{ facts: ofTools('plain', suspectTools(refused)), isGeneral: !refused.isEchoed(said) }]
}

/** The tools that a refusal names. */
export function namedTools({ request, call, error }: RefusedRequest): readonly BindToolsInput[] {
  if (error.trouble !== 'rejected') return []
  // The agent's own prompt may name its tools.
  const isEchoed = echoesOf(request.messages.filter(({ type }) => type !== 'system'))
  const names = toolsNamedIn(wordsOf({ error }), request.tools, isEchoed).map(nameOf)
  return call.tools.filter(tool => names.includes(nameOf(tool)))
}

function wordsOf({ error }: Pick<RefusedRequest, 'error'>): string {
  const { code, param, message } = error.report ?? {}
  return [code, param, message].filter(Boolean).join(' ')
}

/** Without what changes most, if it may be quoted. */
export function withoutEchoes(words: string, isEchoed: IsEchoed): string {
  return words.replaceAll(/\d[\d,_]*|tool[_ ]?choice|\/responses/gi, word => (isEchoed(word) ? '' : word))
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

/** What the words say of the model; for this run alone, where they may be quoted. */
function named(
  { request, sentCap, isEchoed, model, facts }: RefusedRequest,
  words: string,
): readonly Change[] {
  const endpoint = model.formOf(facts)
  const capName = endpoint?.capName === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  const rules: readonly Naming[] = [
    ...NAMED,
    ...SAMPLING.filter(name => model.members.includes(name)).map(name => ({
      says: new RegExp(`\\b${name.replaceAll('_', '_?')}\\b`, 'i'),
      teaches: factsOf([refusalOf(name)], true),
    })),
    ...(sentCap !== undefined && endpoint
      ? [{ says: new RegExp(endpoint.capName), beside: UNKNOWN, teaches: { capName } as const }]
      : []),
    ...(request.binding.tool_choice === 'none'
      ? [{ says: /tool[_ ]?choice/i, teaches: { refuses_tool_choice: true } as const }]
      : []),
  ]
  return rules.flatMap(({ says, beside, unless, teaches }) => {
    const [said] = says.exec(words) ?? []
    if (said === undefined || beside?.test(words) === false || unless?.test(words)) return []
    return [{ facts: teaches, isGeneral: !isEchoed(said) }]
  })
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

/** To the size of the context, if that can be it, or to half. */
async function* shorter({ messages }: ModelCallRequest, words: string): AsyncGenerator<readonly Change[]> {
  const size = await sizeOf(messages)
  const context = contextIn(words)
  if (context !== undefined && context > size / FAR_TOO_LONG) yield ofRun({ context })
  yield ofRun({ conversation: Math.floor(size / 2) })
}

/** Whether a refusal names what caller or operator set: a message of theirs, or a member. */
function namesSetting({ request, model, error, sentCap }: RefusedRequest, words: string): boolean {
  // Once a model has spoken, providers number the messages each in their own way.
  if (/\bmessages?[.[]\d/.test(words))
    return request.messages.every(({ type }) => type === 'human' || type === 'system')
  const { param = '' } = error.report ?? {}
  const caps = sentCap === undefined ? [] : ['max_tokens', 'max_completion_tokens', 'max_output_tokens']
  return [...model.members, ...caps, 'response_format'].some(member => {
    const isWord = !member.includes('_') && !SAMPLING.includes(member)
    const name = isWord ? `["'\`]${member}["'\`]` : `\\b${member}\\b`
    return param === member || new RegExp(name).test(words)
  })
}
