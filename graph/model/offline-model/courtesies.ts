import { oneOf } from './phrase.ts'

/** Words around a question that do not change its meaning. */
const LEADS = [
  '(hello|hi|hey|good morning|good afternoon|good evening|thanks|thank you|many thanks|ok|okay|so|well|now) [there|in advance]',
  '(and|also|then|finally|first|next|please|just|quickly|calc|calculation|task|question|quick question) [also|,|:]',
  '(can|could|would|will) you [please|also]',
  '(tell|give|show) me [what (is|are)|what]',
  '(use|using|with) [the] (calculator|time|clock) [tool] [to] [,|:]',
  '(calculate|compute|evaluate|work out|solve|figure out|find|answer)',
  "(what's|whats|what is|what are|what would be|how much is|how much are|how much does|how many is|how long is|how far is|how tall is)",
  '[the] (value|result|answer) of',
  'the',
]
const VALUE_ONLY = [
  '[please|and] (answer|respond|reply|return|output|give|give me) [with|in|as] [just|only] (the|a) [final|numeric] (number|result|value|answer) [only]',
  '(just|only) (the|a) [final|numeric] (number|result|value|answer)',
]
const TRAILS = [
  '(equals|equal to|is|is what|make)',
  '[,] (please|for me|thanks|thank you|many thanks in advance|thanks in advance|cheers|exactly)',
  '[please] (answer|respond|reply) (briefly|in one sentence|in english|with the result)',
  '(and tell me what you find|and tell me the result) [.]',
]
const MARKS = String.raw`[\s.,;:?!"“”\`*#>•&=]`
/** A list marker: `1.`, `2)`, `(a)`, `-`. */
const ITEM = String.raw`(?:\(?(?:\d{1,2}|[a-z])[.)]|-) +(?![-+*/^])`
const LEAD = new RegExp(`^(?:${MARKS}+|${ITEM}|${oneOf([...VALUE_ONLY, ...LEADS])})`, 'i')
const TRAIL = new RegExp(String.raw`[\s,]*(?<![\w'])${oneOf([...TRAILS, ...VALUE_ONLY])}${MARKS}*$`, 'i')
const VALUE = new RegExp(oneOf(VALUE_ONLY), 'i')
const MOST = 10

/** The text with more and more courtesies removed; shortest first, since a courtesy may be part of the question. */
export function bodiesOf(text: string): readonly string[] {
  const bodies = [text]
  for (let body = text; bodies.length < MOST; bodies.unshift(body)) {
    const lead = LEAD.exec(body)
    if (!lead) break
    body = body.slice(lead[0].length)
  }
  return [...new Set(bodies.flatMap(body => [withoutTrail(body), body]))]
}

/** Whether the text asks for the bare result only. */
export function wantsValueOnly(text: string): boolean {
  return VALUE.test(text)
}

function withoutTrail(text: string): string {
  let body = text
  for (let count = 0; count < MOST; count++) body = body.replace(TRAIL, '')
  return body
}
