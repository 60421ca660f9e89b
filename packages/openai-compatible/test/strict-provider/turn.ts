import type { Random } from '@agent-task-service/test-support/random'
import type { ForeignIds } from './draw.ts'
import type { Manner } from './provider.ts'
import type { Call } from './task.ts'
import { templateOf } from './templates.ts'
import { json } from './text.ts'

type Json = Readonly<Record<string, unknown>>

const thoughtsOf = (turn: number) => `Thought ${turn}: what is known, and what is not?`

/** What the model says in one reply. */
export interface Turn {
  readonly number: number
  readonly text: string
  readonly calls: readonly Call[]
  /** What the model says before it says what it should. */
  readonly isStumble?: true
  /** Calls are promised, whatever there is. */
  readonly promises?: true
  /** Verbatim, in place of all that a template would write. */
  readonly verbatim?: string
}

export interface WireCall {
  readonly id?: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A turn as its provider writes it, before it is cut into pieces. */
export interface Written {
  readonly content: string
  /** Members beside the content: reasoning and what must come back; complete. */
  readonly words: Json
  readonly calls: readonly WireCall[]
  readonly finish: 'stop' | 'tool_calls'
  readonly usage: Usage
}

export interface Usage {
  readonly input: number
  /** All that was generated. */
  readonly output: number
  /** Of it, reasoning. */
  readonly thoughts: number
}

export function write(turn: Turn, manner: Manner, random: Random, foreign?: ForeignIds): Written {
  const { calls, promises, number } = turn
  const isWire = manner.calls === 'wire' && turn.verbatim === undefined
  const wire = isWire ? calls.map((call, at) => wireCall(call, at, number, manner, random, foreign)) : []
  const thoughts = manner.reasoning === 'none' ? 0 : random.whole(20, 200)
  return {
    content: turn.verbatim ?? contentOf(turn, manner, random),
    words: wordsOf(turn, manner),
    calls: wire,
    finish: promises || (calls.length > 0 && manner.reason === 'tool_calls') ? 'tool_calls' : 'stop',
    usage: { input: random.whole(100, 999), output: thoughts + random.whole(5, 50), thoughts },
  }
}

function contentOf({ number, text, calls }: Turn, manner: Manner, random: Random): string {
  const { write, isAlone, frame: [begin, end] = ['', ''] } = templateOf(manner.template)
  const isCalling = calls.length > 0
  const asText = isCalling && manner.calls === 'text'
  const before = asText && !isAlone ? random.pick(['', 'Let me look.\n\n']) : ''
  const said = asText ? before + write(calls) : text
  const isHarmony = manner.reasoning === 'channel'
  const body = thoughtTags(manner, thoughtsOf(number)) + (isHarmony && !isCalling ? begin + said : said)
  if (said === '' || (isHarmony && isCalling)) return body
  if (isHarmony) return body + end
  return (manner.frame === 'both' ? begin : '') + body + (manner.frame === 'none' ? '' : end)
}

function thoughtTags({ reasoning }: Manner, thoughts: string): string {
  if (reasoning === 'think_tags') return `<think>\n${thoughts}\n</think>\n\n`
  if (reasoning === 'lone_close') return `${thoughts}\n</think>\n\n`
  return reasoning === 'channel' ? `<|channel|>analysis<|message|>${thoughts}<|end|><|start|>assistant` : ''
}

/** Members of the turn; `extra_content` is the first call's. */
function wordsOf({ number }: Turn, { reasoning, words }: Manner): Json {
  const thoughts = thoughtsOf(number)
  const isMember = reasoning === 'reasoning' || reasoning === 'reasoning_content'
  return {
    ...(isMember && { [reasoning]: thoughts }),
    ...(words === 'reasoning_details' && {
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: thoughts,
          format: 'anthropic-claude-v1',
          index: 0,
          signature: `sig${number}/4+`,
        },
      ],
    }),
    ...(words === 'thinking_blocks' && {
      thinking_blocks: [{ type: 'thinking', thinking: thoughts, signature: `EqoBCkgIARAB${number}==` }],
    }),
    ...(words === 'thought_signature' && {
      extra_content: { google: { thought_signature: `CikBVKhc7s+/${number}==` } },
    }),
  }
}

function wireCall(
  call: Call,
  at: number,
  number: number,
  manner: Manner,
  random: Random,
  foreign?: ForeignIds,
): WireCall {
  const id = foreign ? foreignId(foreign, at) : idOf(manner, at, number, random)
  const asked = { name: decorated(call.name, manner), arguments: garbled(call.args, manner) }
  return { ...(id !== undefined && { id }), type: 'function', function: asked }
}

function idOf({ ids }: Manner, at: number, number: number, random: Random): string | undefined {
  if (ids === 'none') return undefined
  if (ids === 'all_alike') return 'call_1'
  if (ids === 'again_each_turn') return `call_${at + 1}`
  const plain = random.uuid().replaceAll('-', '')
  return ids === 'nine' ? plain.slice(0, 9) : `call_${number}${at}_${plain.slice(0, 20)}`
}

function foreignId(form: ForeignIds, at: number): string | undefined {
  if (form === 'none') return undefined
  if (form === 'long') return `call_${'a'.repeat(120)}${at}`
  return form === 'plain' ? `toolu_01A${at}` : `functions.join_words:${at}`
}

function decorated(name: string, { names }: Manner): string {
  switch (names) {
    case 'functions':
      return `functions.${name}`
    case 'default_api':
      return `default_api.${name}`
    case 'channel':
      return `${name}<|channel|>commentary`
    case 'space':
      return ` ${name} `
    case 'case':
      return name.toUpperCase()
    case 'dash':
      return name.replaceAll('_', '-')
    default:
      return name
  }
}

function garbled(args: Call['args'], manner: Manner): string {
  const text = json(args)
  switch (manner.args) {
    case 'braces_first':
      return `{}${text}`
    case 'doubled':
      return text + text
    case 'token_behind':
      return `${text}<|call|>`
    case 'members_as_text':
      return json(Object.fromEntries(Object.entries(args).map(([key, value]) => [key, asText(value)])))
    default:
      return text
  }
}

const asText = (value: unknown) => (typeof value === 'object' ? json(value) : value)
