import { phrase } from './phrase.ts'
import type { Text } from './text.ts'

/** Words around a question that change nothing about what is asked. */
const LEADS: readonly string[] = [
  '(hello|hi|hey|good morning|good afternoon|good evening|good day|thanks|thank you|many thanks|cheers|ok|okay|so|well|now|alright) [there|in advance|a lot] [,|!|.]',
  '(and|also|then|next|finally|first|firstly|second|secondly|third|thirdly|lastly|additionally|plus|&) [also|,|:]',
  '(please|kindly|just|quickly|exactly|quick question) [,|:]',
  '(can|could|would|will) you [please|kindly|also]',
  'would you mind (telling me|calculating|computing|working out|converting|checking)',
  "(i want|i need|i would like|i'd like) [you] [to] [know|find out]",
  '(tell|give|show) me [what]',
  '(do|would) you [happen to] know [what]',
  '(use|using|with) [the|your|a] (calculator|time|clock|calculator tool|time tool|math tool|tools|calculator and time tools) [tool] [to|and] [,|:]',
  '(calculate|compute|evaluate|work out|solve|figure out|determine|find|find out|answer|do the math|convert|change|express|turn|check|simplify) [for me] [the following|this|these] [expression|expressions|calculation|calculations|sum|problem|questions|question] [:]',
  '(calculation|task|question|problem|expression|exercise|q) [:|1 :|2 :|3 :|1 .|2 .|3 .]',
  "(what's|whats|what is|what are|what does|what do|what would be|what will be|what was|how much is|how much are|how much does|how many is|how long is|how far is|how fast is|how hot is|how cold is|how heavy is|how tall is)",
  '[the] (value|result|answer|results|values) (of|to|for)',
  'when is',
  'the',
]
const TRAILS: readonly string[] = [
  '= [?]',
  '(equals|equal|equal to|is equal to|is|is what|equals what|make|be|come to|is how much)',
  '[,] (please|for me|thanks|thank you|many thanks|thanks a lot|thanks in advance|many thanks in advance|thank you very much|cheers|exactly|right now|together|altogether|in total)',
  '[,] (using|with|use) [the|your|a] (calculator|time|calculator tool|time tool|web search|web_search|tools) [tool]',
  '[,] (and tell me what you find|and show me the results|and tell me the result|and tell me the answer|and give me the result|and report the result)',
]
/** What an answer should look like, where this model's answers may pass for it. */
const STYLES: readonly string[] = [
  '[please] (be brief|be concise|be precise|be quick|keep it short|keep it brief|show your work|show your working|show the calculation|show your steps|show the steps)',
  "[with] (no explanation|without explanation|without any explanation|nothing else|no other text|no extra text|don't explain|do not explain) [needed|please]",
  '[please] (answer|respond|reply) (briefly|concisely|shortly|in one sentence|in a sentence|in a single sentence|in one line|in english|in a few words|with the result|with the answer)',
  '(briefly|concisely|in one sentence|in a single sentence|in one line|step by step)',
  '[please] use [the|your] (calculator|tools|time tool|calculator tool) [tool]',
]
const VALUE_ONLY: readonly string[] = [
  '[please|and] (answer|respond|reply|return|output|give|give me|print|provide|tell me|show|show me|just give me) [with|in|as] (just|only) (the|a) [final|numeric|numerical] (number|result|value|answer)',
  '[please|and] (answer|respond|reply|return|output|give|give me|print|provide|tell me|show|show me) [with|in|as] (the|a) [final|numeric|numerical] (number|result|value|answer) only',
  '(just|only) (the|a) [final|numeric|numerical] (number|result|value|answer)',
  '(number|result|value|answer) only',
]

/** A stretch of courtesies: where it ends, and whether it asks for nothing but the value. */
export interface Courtesies {
  readonly end: number
  readonly valueOnly: boolean
}

const compile = (notations: readonly string[]) => notations.map(notation => phrase(notation, {}))
const [leads, trails, styles, values] = [LEADS, TRAILS, STYLES, VALUE_ONLY].map(compile) as [
  ReturnType<typeof compile>,
  ReturnType<typeof compile>,
  ReturnType<typeof compile>,
  ReturnType<typeof compile>,
]
const MARKS = /[\s.,;:?!]+|-(?= )|[•*#>]+(?= )|\((?=\d\))/y
const BETWEEN = /[ ]*(?:[.,;:?!]+|\n|$|(?=(?:and|then|also|plus)\b|& ))/y
const MOST_COURTESIES = 10
/** `1.`, `2)`, `a)` at the start of a line. */
const ITEM = /(?:\(?\d{1,2}[.)]|[a-z]\)) +/y

/** The places where a question may begin, each after one more courtesy. */
export function skipLeads(text: Text, at: number): readonly Courtesies[] {
  const places: Courtesies[] = []
  let valueOnly = false
  for (let next = at; places.length < MOST_COURTESIES; ) {
    const start = skipMarks(text, next)
    if (places.at(-1)?.end !== start) places.push({ end: start, valueOnly })
    const value = end(values, text, start)
    const after = longest(value, end(styles, text, start), end(leads, text, start))
    valueOnly ||= value !== undefined && value === after
    if (after === undefined) return places
    next = after
  }
  return places
}

/** Where the text goes on after a question, or `undefined` where something follows that belongs to it. */
export function skipTrails(text: Text, at: number): Courtesies | undefined {
  let valueOnly = false
  for (let next = at; ; ) {
    const comma = text.literal(',', next) ?? next
    const value = end(values, text, comma)
    const after = longest(value, end(trails, text, next), end(styles, text, comma))
    valueOnly ||= value !== undefined
    if (after === undefined) return text.match(BETWEEN, next) ? { end: next, valueOnly } : undefined
    next = after
  }
}

function skipMarks(text: Text, at: number): number {
  for (let next = at; ; ) {
    const start = text.skip(next)
    const isLineStart =
      start === 0 || /^\s*$/.test(text.plain.slice(text.plain.lastIndexOf('\n', start - 1) + 1, start))
    const marks = (isLineStart ? text.match(ITEM, start) : undefined) ?? text.match(MARKS, start)
    if (!marks) return start
    next = marks.index + marks[0].length
  }
}

function end(phrases: ReturnType<typeof compile>, text: Text, at: number): number | undefined {
  const ends = phrases.flatMap(find => find(text, at).map(found => found.end))
  return longest(...ends)
}

function longest(...ends: readonly (number | undefined)[]): number | undefined {
  return ends.reduce((best, other) => ((other ?? -1) > (best ?? -1) ? other : best), undefined)
}
