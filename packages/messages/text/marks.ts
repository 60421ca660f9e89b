/**
 * What a mark says:
 * - `call` a call or a list of them begins or ends; `name` its tool, `argument` one or all of its arguments, `key` and `value`
 *   the parts of one, `separator` nothing of its own, `result` what a model makes up in place of a tool
 * - `thought` and `answer` what the model thinks, and what it answers; `turn` that a turn begins or ends, as a control token does
 *   that says nothing else
 */
type MarkKind =
  | 'call'
  | 'name'
  | 'argument'
  | 'key'
  | 'value'
  | 'separator'
  | 'result'
  | 'thought'
  | 'answer'
  | 'turn'

/** What is no word of a text: an element, a control token, a word in brackets. */
export interface Mark {
  readonly start: number
  /** Behind its last character. */
  readonly end: number
  readonly kind: MarkKind
  readonly isClosing: boolean
  /** Whether only a template writes it: with bars, or in brackets. */
  readonly isToken: boolean
  /** Its words without those that say whether it opens or closes: the same for both. */
  readonly word: string
  /** The tool or the parameter that it names: `<function=NAME>`, `<invoke name="NAME">`. */
  readonly name: string | undefined
}

/**
 * `<word>`, `</word>`, `<word=name>`, `<word name="…">`, and the same with bars: `<|word|>`, `<|word>`, `<word|>`. Some models
 * forget the bracket behind a name.
 */
const ELEMENT =
  /<(?<prefix>[/|]{0,2})(?<word>[\p{L}_][\p{L}\p{N}_.:|-]{0,60})(?:=\s*["']?(?<name>[^<>"'(){}]{1,200})["']?>?|(?<attributes>\s[^<>]{0,400})?>)/uy
/** `[TOOL_CALLS]`, `[/THINK]`, `[BEGIN FINAL RESPONSE]` */
const BRACKETED = /\[(?<prefix>\/?)(?<word>[A-Z][A-Z_ ]{2,30})\]/y
/** What LM servers make of calls for models without a template. waybarrios/vllm-mlx tool_parsers/qwen, minimax */
const CALLING = /\[(?<word>Calling tool)(?:="(?<name>[^"\n]{1,200})"|s?:(?=\s*[\w.-]{1,100}\())/y
const NAMED = /\s(?:name|tool|function|key)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>|]+))/

/** A mark is of the first kind whose words it has. */
const KINDS: readonly (readonly [MarkKind, RegExp])[] = [
  ['turn', /^(?:(?:begin|start|end) of (?:turn|text|sentence)(?: token)?|endoftext|[eb]os|inst|im sep)$/],
  ['thought', /\b(?:think|thinking|thoughts?|reasoning|cot)\b/],
  ['result', /\b(?:tools?|functions?) (?:results?|responses?|outputs?)\b/],
  ['key', /\barg key\b/],
  ['value', /\barg value\b/],
  ['argument', /\b(?:args?|arguments?|params?|parameters?)\b/],
  ['separator', /\b(?:sep|constrain|call id)\b/],
  ['name', /^(?:(?:tool|function) )?name$/],
  [
    'call',
    /\b(?:tools?|tool ?calls?|functions?|invoke|actions?|plugin|calls?|calling|python (?:tag|start|end))\b/,
  ],
  ['answer', /\b(?:answer|response|text|box)\b/],
  // Gemma 4's; gpt-oss's has bars on both sides.
  ['thought', /^channel$/],
]
/** Ends of turns whose words would say something else, or nothing. */
const ENDS: ReadonlySet<string> = new Set(['</s>', '<|call|>'])
/** Parts of a message's header, and what Kimi K3 wraps its marks in: no marks of their own. */
export const HEADERS: ReadonlySet<string> = new Set([
  '<|channel|>',
  '<|recipient|>',
  '<|from|>',
  '<|open|>',
  '<|close|>',
])
const CLOSING = /\b(?:end|close|suffix)\b/
const ROLE = /\b(?:begin|start|end|open|close|prefix|suffix|of)\b/g

/** The mark at an index of a text in ASCII marks. */
export function markAt(text: string, at: number): Mark | undefined {
  for (const form of [ELEMENT, BRACKETED, CALLING]) {
    form.lastIndex = at
    const found = form.exec(text)
    const mark = found ? markOf(found) : undefined
    if (mark) return mark
  }
  return undefined
}

function markOf({ 0: whole, index: start, groups = {} }: RegExpExecArray): Mark | undefined {
  if (HEADERS.has(whole)) return undefined
  const { prefix = '', word = '', name, attributes = '' } = groups
  const [, quoted, single, bare] = NAMED.exec(attributes) ?? []
  const hasBars = prefix.includes('|') || word.includes('|')
  const endsOnly = word.endsWith('|') && !prefix.includes('|')
  const words = wordsIn(word)
  const kind = ENDS.has(whole) ? 'turn' : (kindOf(words) ?? (hasBars ? 'turn' : undefined))
  if (kind === undefined) return undefined
  return {
    start,
    end: start + whole.length,
    kind,
    isClosing: prefix.includes('/') || endsOnly || CLOSING.test(words),
    isToken: hasBars || whole.startsWith('['),
    word: words.replace(ROLE, '').replace(/ +/g, ' ').trim(),
    name: (name ?? quoted ?? single ?? bare)?.trim(),
  }
}

function kindOf(words: string): Mark['kind'] | undefined {
  return KINDS.find(([, pattern]) => pattern.test(words))?.[0]
}

/** Whether a text is the beginning of a mark that has not come whole. */
export function mayBecomeMark(text: string): boolean {
  if (/^\[(?:\/?[A-Z_ ]*|Calling[^\]\n]*)$/.test(text)) return true
  const [begun = '', word = ''] = /^<[/|]{0,2}([\p{L}_][\p{L}\p{N}_.:|-]*)?/u.exec(text) ?? []
  if (begun === '' || /[<>\n]/.test(text.slice(begun.length))) return false
  return begun.length === text.length || kindOf(wordsIn(word)) !== undefined
}

function wordsIn(written: string): string {
  return written
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .join(' ')
    .trim()
}

/** The mark that a text ends with. */
export function lastMark(text: string): Mark | undefined {
  const start = /[<[][^<>[\]]{1,70}[>\]]$/.exec(text.slice(-80))?.[0].length ?? 0
  const mark = markAt(text, text.length - start)
  return mark?.end === text.length ? mark : undefined
}

/** The next mark that is wanted. */
export function nextMark(text: string, from: number, isWanted = (_: Mark) => true): Mark | undefined {
  for (const mark of marksFrom(text, from)) if (isWanted(mark)) return mark
  return undefined
}

/** @param read what is a mark, if one begins at an index */
export function* marksFrom(text: string, from: number, read = markAt): Generator<Mark> {
  const starts = /[<[]/g
  starts.lastIndex = from
  for (let found = starts.exec(text); found; found = starts.exec(text)) {
    const mark = read(text, found.index)
    if (mark) yield mark
  }
}

/** A text without some of its marks. */
export function withoutMarks(text: string, isUnwanted: (mark: Mark) => boolean): string {
  let rest = ''
  let at = 0
  for (let mark = nextMark(text, 0, isUnwanted); mark; mark = nextMark(text, mark.end, isUnwanted)) {
    rest += text.slice(at, mark.start)
    at = mark.end
  }
  return at === 0 ? text : rest + text.slice(at)
}

const OTHER_LETTERS: Readonly<Record<string, string>> = { '｜': '|', '▁': '_', '◁': '<', '▷': '>' }

/** With ASCII in place of what DeepSeek and Kimi write in marks; as long as the text. */
export function inAscii(text: string): string {
  return /[｜▁◁▷]/.test(text) ? text.replace(/[｜▁◁▷]/g, letter => OTHER_LETTERS[letter] ?? letter) : text
}

/**
 * A text whose marks all have one shape: in ASCII, and without what some families wrap each mark in.
 * MiniMax's `]<]minimax[>[<tool_call>` and `[e~[`, Kimi K3's `<|open|>tools<|sep|>`, GigaChat's `function call<|role_sep|>`.
 */
export function withPlainMarks(text: string): string {
  return text
    .replace(/<\/?[｜|][^<>｜|]{1,40}[｜|][\p{L}▁_]{0,40}|◁\/?\w{1,20}▷/gu, inAscii)
    .replace(/\]<\]\w{1,20}\[>\[/g, '')
    .replaceAll('[e~[', '<|eot|>')
    .replace(/<\|(open|close)\|>([^<>]{1,300})<\|sep\|>/g, (_, role: string, inside: string) =>
      role === 'open' ? `<|${inside}>` : `</|${inside}>`,
    )
    .replace(/<\|message_sep\|>\s*function call<\|role_sep\|>/g, '<|function_call|>')
}
