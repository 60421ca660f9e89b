import { hintFor } from '../../../tools/calculator/names.ts'
import { withDigits } from '../../../tools/number-words.ts'
import { bodiesOf } from './courtesies.ts'
import { oneOf } from './phrase.ts'
import { type Question, readQuestions, unreadPart } from './questions.ts'

/** What the offline model does with each tool, with an example question. */
const ABILITIES = [
  { tool: 'calculator', does: 'arithmetic and units', question: 'What is 15% of 240?' },
  { tool: 'time', does: 'times and dates', question: 'What time is it in Tokyo?' },
  { tool: 'web_search', does: 'web searches on request', question: 'Search the web for LangGraph' },
]
const GREETING = new RegExp(
  `^\\W*(?:${oneOf([
    '(hello|hi|hey|hiya|howdy|greetings|yo|hola|bonjour|hallo|salut|ciao|good morning|good afternoon|good evening|good day|good night) [there|again|everyone|world]',
    "(how are you|how's it going|how do you do|what's up|nice to meet you) [doing] [today]",
    '[please|can you|could you] (help [me] [out] [please]|i need [some|your] help|introduce yourself)',
    '[tell me] what (can you do|do you do|you can do|are you able to do|are you|is this) [for me|here]',
    'what (can i ask [you]|can you help [me] with|do you help [me] with)',
    'how (can you help|do you help|can i use you|do i use you|do i use this|does this work|do you work) [me]',
    'what (kind|kinds|sort|sorts) of (questions|things|tasks) (can i ask|can you answer|can you do|do you answer) [you]',
    'what are your (capabilities|abilities|skills|features|functions|limits|limitations)',
    '(what|which) (tools|questions|tasks|functions) (do you have|can you use|can you do|can you answer|do you support|can i ask)',
  ])}\\W*)+$`,
  'i',
)

/** Example questions that work, by patterns of the words that suggest them. */
const EXAMPLES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:time|hours?) .*\b(?:difference|between|ahead|behind)\b|\bdifference between [A-Z]/,
    'What is the time difference between Tokyo and London?',
  ],
  [/\b(?:weekday|what day)\b/i, 'What day of the week is 25 December 2026?'],
  [/\b(?:days?|weeks?|until|since|ago)\b/i, 'How many days until Christmas?'],
  [/\d *[ap]m\b|\bo'clock\b/i, 'What time is it in Tokyo when it is 9am in London?'],
  [/\b(?:time|date|clock|ahead)\b/i, 'What time is it in Tokyo?'],
  [/\bconvert|\b\d+ *(?:km|miles?|kg|lbs?|cups?|feet|ft|m)\b|\b[a-z]+ to [a-z]+$/i, 'Convert 5 km to miles'],
  [/\b(?:average|mean)\b/i, 'What is the average of 4, 8 and 15?'],
  [/\b(?:sum|add|plus|total)\b/i, 'What is the sum of 3, 4 and 5?'],
  [/\b(?:square|root)\b/i, 'What is the square root of 2?'],
]
const LOOSE_START = /^(?:[\s,=?!&]|\.\s|\b(?:and|then|also|plus|but|so|ok|okay|well|now|hello|hi|hey)\b)+/i
const LOOSE_END = /(?:[\s,.=?]|\b(?:and|then)\b)+$/i
/** Some of these are units too. */
const LOOSE_WORDS = /(?:[\s,]|\b(?:and|then|in|to|of|the|for|is)\b)+$/i
/** A suggestion that leaves these out asks for something else. */
const QUANTITY =
  /[\d+*/^=%]|\b(?:half|third|quarter|minus|plus|times|not|no|without|except|next|last|first|second|per|square|cubic|root|business|work|working)\b/i
const [MOST_WORDS, MOST_SHOWN, LONGEST_GREETING] = [12, 80, 100]

/** Answers a greeting or "what can you do?"; `undefined` for any other text, or without tools. */
export function introduction(text: string, tools: readonly string[]): string | undefined {
  const able = ABILITIES.filter(({ tool }) => tools.includes(tool))
  if (able.length === 0 || text.length > LONGEST_GREETING || !GREETING.test(text)) return undefined
  return [
    `I am the offline model. I do ${[...able.map(({ does }) => does), 'one tool as told (Use <tool> with <JSON>)'].join(', ')}.`,
    'For everything else, set OPENAI_API_KEY. Try:',
    ...able.map(({ question }) => `- ${question}`),
  ].join('\n')
}

/** Quotes the unreadable part of a text, and suggests a similar question that works with these tools. */
export function declined(text: string, tools: readonly string[]): string {
  const part = unreadPart(text)
  const works = (question: string) =>
    readQuestions(question)?.every(({ tool }: Question) => tools.includes(tool))
  const example = candidates(text, part).find(works)
  const shown = part.length > MOST_SHOWN ? `${part.slice(0, MOST_SHOWN)}...` : part
  const what = part === '' ? 'The text is empty or too long.' : `Not understood: "${shown}".`
  // `5 NM in km`
  const hint = hintFor(/\d ?([a-z]+) (?:in|to|into|as) /i.exec(part)?.[1] ?? '')
  return [what, hint, example && `Try "${example}"`].filter(Boolean).join(' ')
}

/** Candidate suggestions, closest first: the text before and after the part, runs of its words, examples. */
function candidates(text: string, part: string): string[] {
  const words = part.slice(0, MOST_SHOWN).split(' ').slice(0, MOST_WORDS)
  const runs = words
    .flatMap((_, less) =>
      words.slice(0, less + 1).map((_, at) => words.slice(at, at + words.length - less).join(' ')),
    )
    .filter(run => !QUANTITY.test(withDigits(part.replace(run, '|'))))
  const isQuestion = /^(?:what|who|when|where|which|why|how|is|are|does|did)\b/i.test(part)
  const around = text.replace(/\s+/g, ' ').split(part || text)
  const loosened = (list: string[], end: RegExp) =>
    list.map(question => question.replace(LOOSE_START, '').replace(end, ''))
  return [
    ...loosened(around, LOOSE_END),
    ...loosened(runs, LOOSE_WORDS),
    ...EXAMPLES.filter(([words]) => words.test(part)).map(([, question]) => question),
    ...(isQuestion ? [`Search the web for ${bodiesOf(part)[0]!.replace(/[\s.?!]+$/, '')}`] : []),
    ...ABILITIES.map(({ question }) => question),
  ]
}
