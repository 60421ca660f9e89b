import { readArithmetic } from './arithmetic.ts'
import { readSearchRequest } from './search-request.ts'
import { readTimeQuestion } from './time-question.ts'

/** One thing that is asked, as the call of the tool that serves it. */
export interface Question {
  readonly tool: 'calculator' | 'time' | 'web_search'
  readonly args: Readonly<Record<string, unknown>>
}

/** Longest text that is read; a question that needs no language model is shorter. */
const MAX_LENGTH = 4000
/** Longest single sentence: patterns with several open ends take time with the square of the length. */
const MAX_SENTENCE_LENGTH = 300
const MAX_QUESTIONS = 12

const LEAD = new RegExp(
  `^(?:${[
    '(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|thanks?(?: you)?|ok(?:ay)?|so|well)\\b[,!. ]*',
    '(?:and|also|then|next|finally|first(?:ly)?|second(?:ly)?|third(?:ly)?|lastly|additionally)\\b[,: ]*',
    '(?:please|kindly|now)\\b[, ]*',
    '(?:can|could|would|will) you (?:please )?(?:also )?',
    "(?:i (?:want|need|would like|'d like)|i'd like)(?: you)? (?:to )?(?:know )?",
    '(?:tell|give|show) me (?:about )?',
    '(?:use|using|with) (?:the |your )?(?:calculator|time|web[_ ]search)(?: tool)?(?: to)?[,: ]*',
    '(?:calculate|compute|evaluate|work out|solve|figure out|determine|find|answer)(?: for me)?\\b[: ]*',
    '(?:task|question|q)\\s*\\d*\\s*[:.)] *',
    '\\(?\\d{1,2}[.)]\\s+',
    '[-*•]\\s+',
  ].join('|')})`,
  'i',
)
const ASKING =
  /^(?:what(?:'s|s| is| are| does| do| would be)?|how much (?:is|are|does|do)|how many (?:is|are))\s+(?:the (?:value|result|answer) (?:of|to)\s+)?(?:the\s+)?/i
const TRAIL =
  /(?:\s*(?:[?!.;=:,]+|\bplease\b|\bfor me\b|\bequals?(?: to)?\b|\bequal(?: to)?\b|\bmake\b|\busing (?:the |your )?(?:calculator|time|web[_ ]search)(?: tool)?|\b(?:is|are)$))+$/i

/**
 * Reads what a text asks, where tools alone can answer it: arithmetic, times and dates, web searches.
 *
 * @returns the questions in order, or `undefined` where any part of the text needs a language model
 */
export function readQuestions(text: string): readonly Question[] | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const sentences = text.split(/(?<=[?!;])\s+|\n+|(?<=[^\d\s]{2}|\d)\.\s+(?=[A-Z])/).map(bare)
  const read: Question[] = []
  for (const sentence of sentences.filter(part => part !== '')) {
    const found = readSentence(sentence)
    if (found === undefined || read.length + found.length > MAX_QUESTIONS) return undefined
    read.push(...found)
  }
  return read.length > 0 ? read : undefined
}

/** One question, or several joined by a comma or "and". */
function readSentence(sentence: string): readonly Question[] | undefined {
  if (sentence.length > MAX_SENTENCE_LENGTH) return undefined
  const whole = readOne(sentence)
  if (whole) return [whole]
  for (const joint of sentence.matchAll(
    /\s*(?:[,;]\s+(?:and\s+|then\s+)?|\s(?:and|then|plus)\s+(?:also\s+|then\s+)?)/gi,
  )) {
    const left = readOne(bare(sentence.slice(0, joint.index)))
    const right = left && readSentence(bare(sentence.slice(joint.index + joint[0].length)))
    if (left && right) return [left, ...right]
  }
  return undefined
}

function readOne(sentence: string): Question | undefined {
  const query = readSearchRequest(sentence)
  if (query !== undefined) return { tool: 'web_search', args: { query } }
  const asked = sentence.replace(ASKING, '')
  const time = readTimeQuestion(sentence) ?? readTimeQuestion(asked)
  if (time) return { tool: 'time', args: time }
  const expression = readArithmetic(sentence) ?? readArithmetic(asked)
  return expression === undefined ? undefined : { tool: 'calculator', args: { expression } }
}

/** The sentence without its courtesies, its lead-in and its closing marks. */
function bare(text: string): string {
  let rest = text.trim()
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest.replace(LEAD, '').replace(TRAIL, '').trim()
  }
  return rest
}
