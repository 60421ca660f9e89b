import { truncate } from '../../truncate.ts'
import { oneOf } from './phrase.ts'

/** What the offline model does with each tool, with an example question. */
const ABILITIES = [
  { tool: 'calculator', does: 'arithmetic and units', question: 'What is 15% of 240?' },
  { tool: 'time', does: 'times and dates', question: 'What time is it in Tokyo?' },
  { tool: 'web_search', does: 'web searches on request', question: 'Search the web for LangGraph' },
]
const AS_TOLD = 'one tool as told (Use <tool> with <JSON>)'
const SMALL_TALK = new RegExp(
  `^\\W*(?:${oneOf([
    '(hello|hi|hey|howdy|good morning|good afternoon|good evening|good day|good night) [there|again|everyone|world]',
    '(thanks|thank you|many thanks|thx|bye|goodbye|see you|ok|okay|great|cool|nice|test|testing|ping) [a lot|very much|so much]',
    "(how are you|how's it going|what's up|nice to meet you) [doing] [today]",
    '[please|can you|could you] (help [me] [out] [please]|introduce yourself)',
    '[tell me] (what|who|which model|what model|which llm) (are you|is this|can you do|do you do|you can do) [for me|here]',
    'what are your (capabilities|abilities|skills|features|functions|limitations)',
  ])}\\W*)+$`,
  'i',
)
const [LONGEST_TALK, MOST_QUOTED] = [100, 80]

/** Answers small talk and "what can you do?"; `undefined` for any other text, or without tools. */
export function introduction(text: string, tools: readonly string[]): string | undefined {
  const able = ABILITIES.filter(({ tool }) => tools.includes(tool))
  if (able.length === 0 || text.length > LONGEST_TALK || !SMALL_TALK.test(text)) return undefined
  return [
    `I am the offline model. I do ${[...able.map(({ does }) => does), AS_TOLD].join(', ')}.`,
    'For everything else, set OPENAI_API_KEY. Try:',
    ...able.map(({ question }) => `- ${question}`),
  ].join('\n')
}

/** What the offline model is, what it can do, and what it could not read. */
export function declined(unread: string): string {
  const shown = truncate(unread.replace(/\s+/g, ' '), MOST_QUOTED)
  const abilities = ABILITIES.map(({ does }) => does).join(', ')
  return `the offline model can only do ${abilities} and ${AS_TOLD}; it did not understand "${shown}"; set OPENAI_API_KEY for everything else`
}
