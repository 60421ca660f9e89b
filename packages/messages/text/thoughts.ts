import { markAt } from './marks.ts'

/** How thoughts at the start of a reply begin, and with what they end. */
interface Thoughts {
  /** Of the beginning, in characters. */
  readonly length: number
  readonly closes: readonly string[]
}

/** Sections whose marks break the shape of all others. */
const OTHERS = [
  // Gemma 4
  {
    opens: /^<\|channel>(?:thought\n?)?/,
    closes: ['<channel|>', '<|channel>response\n', '<|channel>final\n'],
  },
  // Inkling
  { opens: /^<\|content_thinking\|>/, closes: ['<|end_message|>'] },
  // Granite 3.2. With a blank behind it, it is a sentence.
  { opens: /^Here(?: is|'s) my thought process:(?=\S|\n)/, closes: ['Here is my response:'] },
] as const

/** Whether more must come before it is clear how the text begins. */
export function isUnclear(head: string): boolean {
  const isPart = [
    '<|channel>thought\n',
    'Here is my thought process:\n',
    "Here's my thought process:\n",
  ].some(start => start.length > head.length && start.startsWith(head))
  return isPart || /^[<[][^\s<>[\]]{0,40}$/.test(head)
}

/**
 * The thoughts that begin here: `<think>`, `[THINK]`, `<seed:think>`, `<|START_THINKING|>` and whatever else has a word for
 * thoughts in a mark.
 *
 * @param head in ASCII marks
 */
export function thoughtsBeginning(head: string): Thoughts | undefined {
  for (const { opens, closes } of OTHERS) {
    const [found] = opens.exec(head) ?? []
    if (found !== undefined) return { length: found.length, closes }
  }
  const mark = markAt(head, 0)
  const isBeginning = mark?.kind === 'thought' && !mark.isClosing
  return isBeginning ? { length: mark.end, closes: [closingOf(head.slice(0, mark.end))] } : undefined
}

/** `</think>`, `[/THINK]`, `<|END_THINKING|>`, `<|think:end|>`: as the section began. */
function closingOf(opening: string): string {
  const named = opening.replace(/start|begin/i, word => (word === word.toUpperCase() ? 'END' : 'end'))
  return named === opening ? opening.replace(/^[<[]\|?/, '$&/') : named
}
