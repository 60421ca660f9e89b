import type { Asked } from '@agent-task-service/test-support/asked'
import type { Refusal } from '../providers/provider.ts'
import type { TemplateName } from './templates.ts'

/** Why a request is refused, in the words of the provider. */
export interface Objection {
  readonly message: string
  readonly param?: string
  readonly code?: string
}

/** What came beside a call with this id, in its turn or in it; `undefined`: the provider made no such call. */
export type WordsOf = (id: string) => Readonly<Record<string, unknown>> | undefined

/** What a provider refuses. */
export interface Rule {
  readonly name: string
  /** Where this is documented, or reported. */
  readonly source: string
  /** Refusals that a client needs to learn it; 0: it must know. `run`: in each run anew. */
  readonly costs: { readonly refusals: number; readonly per?: 'run' }
  readonly objectionTo: (asked: Asked, wordsOf: WordsOf) => Objection | undefined
}

/** How a provider writes its replies. */
export interface Manner {
  /** `whole`: although a stream was asked for. */
  readonly way: 'streamed' | 'whole'
  /** What follows the last chunk; `open`: heartbeats, without end, behind one of the replies. */
  readonly end: 'done' | 'body' | 'open'
  readonly finish: 'own_chunk' | 'last_delta' | 'every_chunk' | 'none'
  /** Of a reply with calls. */
  readonly reason: 'tool_calls' | 'stop'
  readonly usage: 'own_chunk' | 'with_finish' | 'every_chunk' | 'spread' | 'x_groq' | 'in_choice' | 'missing'
  /** Whether `completion_tokens` have those of the reasoning; if not, only the total has. */
  readonly thoughtTokens: 'inside' | 'apart'
  readonly packets: 'events' | 'one' | 'cut'
  readonly newline: '\n' | '\r\n'
  readonly noise: 'none' | 'empty_data' | 'ping' | 'comment' | 'empty_choices'
  readonly reasoning:
    | 'none'
    | 'reasoning_content'
    | 'reasoning'
    | 'parts'
    | 'think_tags'
    | 'lone_close'
    | 'channel'
  /** Members that come with each turn and must come back with it. */
  readonly words: 'none' | 'reasoning_details' | 'thinking_blocks' | 'thought_signature'
  readonly content: 'string' | 'parts'
  /** The model's own template: how it writes a call, and which tokens frame its turn. */
  readonly template: TemplateName
  readonly calls: 'wire' | 'text'
  /** Whether the tokens that frame a turn stay in its text. */
  readonly frame: 'none' | 'end' | 'both'
  readonly pieces: 'whole' | 'pieces' | 'interleaved'
  readonly index: 'own' | 'none' | 'zero'
  readonly ids: 'unique' | 'nine' | 'none' | 'again_each_turn' | 'all_alike'
  readonly idsIn: 'first_piece' | 'every_piece'
  readonly names: 'plain' | 'functions' | 'default_api' | 'channel' | 'space' | 'case' | 'dash'
  readonly args: 'plain' | 'braces_first' | 'doubled' | 'token_behind' | 'members_as_text'
}

/** A kind of server; a seed draws one provider of it. */
export interface Kind {
  readonly name: string
  /** Where its shapes are documented, or reported. */
  readonly source: string
  readonly api?: 'responses'
  /** All that OpenAI documents of `/responses` is enforced too. */
  readonly isOpenAIResponses?: true
  readonly model: string
  readonly always: readonly Rule[]
  readonly maybe: readonly Rule[]
  /** What it may do otherwise than OpenAI, by member. */
  readonly manner: { readonly [Member in keyof Manner]?: readonly Manner[Member][] }
  /** Members of the body that its operator sets. */
  readonly params?: Readonly<Record<string, unknown>>
  /** Accepts no turn of another model. */
  readonly takesOnlyOwnTurns?: true
  readonly refuse: (objection: Objection) => Refusal
}
