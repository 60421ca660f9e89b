import type { Manner } from './provider.ts'

type Words = { readonly [Member in keyof Manner]?: { readonly [Option in Manner[Member]]?: string } }

/** What servers do otherwise than OpenAI, in words, by member of a manner. */
export const quirks: Words = {
  way: { whole: 'a whole reply, although a stream was asked for' },
  end: {
    body: 'no `[DONE]`: the body ends',
    open: 'heartbeats behind `finish_reason`, and no end',
  },
  finish: {
    last_delta: '`finish_reason` beside the last piece',
    every_chunk: '`finish_reason` in every chunk',
    none: 'no `finish_reason`',
  },
  reason: { stop: '`finish_reason: "stop"` with tool calls' },
  usage: {
    with_finish: 'usage beside `finish_reason`',
    every_chunk: 'usage so far in every chunk',
    spread: 'usage in two chunks, with zeros for the rest',
    x_groq: 'usage in `x_groq`',
    in_choice: 'usage in the choice',
    missing: 'no usage',
  },
  thoughtTokens: { apart: 'reasoning that only `total_tokens` counts' },
  newline: { '\r\n': 'lines that end in CR LF' },
  noise: {
    empty_data: 'empty `data:`',
    ping: '`event: ping`',
    comment: 'comments',
    empty_choices: 'chunks without choices',
  },
  reasoning: {
    reasoning_content: 'reasoning in `reasoning_content`',
    reasoning: 'reasoning in `reasoning`',
    parts: 'reasoning in parts of the content',
    think_tags: 'reasoning between `<think>` tags',
    lone_close: 'reasoning that only a `</think>` ends',
  },
  content: { parts: 'content as a list of parts' },
  calls: { text: "tool calls in the text, in the model's template" },
  frame: {
    end: "the token that ends the model's turn in the text",
    both: "the tokens around the model's turn in the text",
  },
  pieces: { whole: 'tool calls in one piece', interleaved: 'pieces of parallel calls in turn' },
  index: { none: 'tool calls without an index', zero: 'index 0 for each call' },
  ids: {
    none: 'tool calls without ids',
    again_each_turn: 'the same ids in each turn',
    all_alike: 'the same id for all calls',
  },
  idsIn: { every_piece: 'the id in each piece of a call' },
  names: {
    functions: '`functions.` before the name',
    default_api: '`default_api.` before the name',
    channel: '`<|channel|>commentary` behind the name',
    space: 'white space around the name',
    case: 'the name in capitals',
    dash: '`-` for `_` in the name',
  },
  args: {
    braces_first: '`{}` before the arguments',
    doubled: 'the arguments twice',
    token_behind: 'a control token behind the arguments',
    members_as_text: 'lists and objects in the arguments as JSON in quotes',
  },
}
