import { oneOf } from './phrase.ts'

/** Words around a question that do not change its meaning. */
const LEADS: readonly string[] = [
  '(hello|hi|hey|good morning|good afternoon|good evening|good day|thanks|thank you|many thanks|cheers|ok|okay|so|well|now|alright) [there|in advance|a lot] [,|!|.]',
  '(and|also|then|finally|firstly|secondly|thirdly|lastly|additionally|plus|&) [also|,|:]',
  '(please|kindly|just|quickly|exactly|quick question) [,|:]',
  'would you mind (telling me|calculating|computing|working out|converting|checking)',
  '(do|would) you [happen to] know [what]',
  '(can|could|would|will) you [please|kindly|also]',
  "(i want|i need|i would like|i'd like) [you] [to] [know|find out]",
  '(tell|give|show) me [what]',
  '(use|using|with) [the|your|a] (calculator|time|clock|calculator tool|time tool|math tool|tools|calculator and time tools) [tool] [to|and] [,|:]',
  '(calculate|compute|evaluate|work out|solve|figure out|determine|find out|find|answer|do the math|convert|change|express|turn|check|simplify) [for me] [the following|this|these] [expression|expressions|calculation|calculations|sum|problem|questions|question] [:]',
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
/** Requests about style that this model's answers meet well enough. */
const STYLES: readonly string[] = [
  '[please] (be brief|be concise|be precise|be quick|keep it short|keep it brief|show your work|show your working|show the calculation|show your steps|show the steps)',
  "[with] (no explanation|without explanation|without any explanation|nothing else|no other text|no extra text|don't explain|do not explain) [needed|please]",
  '[please] (answer|respond|reply) (briefly|concisely|shortly|in one sentence|in a sentence|in a single sentence|in one line|in english|in a few words|with the result|with the answer)',
  '(briefly|concisely|in one sentence|in a single sentence|in one line|step by step)',
]
const VALUE_ONLY: readonly string[] = [
  '[please|and] (answer|respond|reply|return|output|give|give me|print|provide|tell me|show|show me|just give me) [with|in|as] (just|only) (the|a) [final|numeric|numerical] (number|result|value|answer)',
  '[please|and] (answer|respond|reply|return|output|give|give me|print|provide|tell me|show|show me) [with|in|as] (the|a) [final|numeric|numerical] (number|result|value|answer) only',
  '(just|only) (the|a) [final|numeric|numerical] (number|result|value|answer)',
  '(number|result|value|answer) only',
]

const MARKS = String.raw`[\s.,;:?!"“”\`*#>•&]`
/** A list marker: `1.`, `2)`, `(a)`. */
const ITEM = String.raw`(?:\(?(?:\d{1,2}|[a-z])[.)]|-) +(?![-+*/^])`
/** Before other words these belong to the question: `next Friday`, `second derivative`. */
const ORDINAL =
  '(?:next|first|second|third)(?:[,:]| (?=what|how|when|is|calculate|compute|evaluate|convert|add|multiply|find|tell|please))'
const LEAD = new RegExp(
  `^(?:${MARKS}+|${ITEM}|${ORDINAL}|${oneOf([...VALUE_ONLY, ...STYLES, ...LEADS])})`,
  'i',
)
const TRAIL = new RegExp(
  String.raw`[\s,]*(?<![\w'])${oneOf([...TRAILS, ...STYLES, ...VALUE_ONLY])}${MARKS}*$`,
  'i',
)
const VALUE = new RegExp(oneOf(VALUE_ONLY), 'i')
const MOST_COURTESIES = 10

/** The text with more and more courtesies removed; shortest first, since a courtesy may be part of the question. */
export function bodiesOf(text: string): readonly string[] {
  const bodies = [text]
  for (let body = text; bodies.length < MOST_COURTESIES; bodies.unshift(body)) {
    const lead = LEAD.exec(body)
    if (!lead) break
    body = body.slice(lead[0].length)
  }
  return bodies.flatMap(body => [...new Set([withoutTrail(body), body])])
}

/** Whether the text asks for the bare result only. */
export function wantsValueOnly(text: string): boolean {
  return VALUE.test(text)
}

function withoutTrail(text: string): string {
  let body = text
  for (let count = 0; count < MOST_COURTESIES; count++) {
    const trail = TRAIL.exec(body)
    if (!trail) break
    body = body.slice(0, trail.index)
  }
  return body
}
