import { readCalendar } from './calendar.ts'
import { readSum } from './sums.ts'
import { readUnits } from './units.ts'
import { readZones } from './zones.ts'

/** The question is beyond this agent, or beyond the tools that it may use. */
export class CannotAnswer extends Error {}

/** Longer ones would take the readers' patterns too long. */
const MAX_LENGTH = 1_000

type Reader = (question: string, now: Date) => string | undefined

const READERS: readonly { readonly tool: string; readonly read: Reader }[] = [
  { tool: 'time', read: readZones },
  { tool: 'time', read: readCalendar },
  { tool: 'calculator', read: readUnits },
  { tool: 'calculator', read: readSum },
]

/** Answers each question in a text, one line each. @throws CannotAnswer */
export function answer(
  input: string,
  now: Date,
  tools: ReadonlySet<string>,
): { readonly text: string; readonly uses: number } {
  if (input.length > MAX_LENGTH)
    throw new CannotAnswer(`I read questions of ${MAX_LENGTH} characters at most.`)
  const text = input.replace(/\s+/g, ' ').trim()
  const said = /^repeat\b[^:]*: (.+)$/i.exec(text)?.[1]
  if (said !== undefined) return { text: said, uses: 0 }
  const lines = answers(text.replace(BARE, ''), now, tools)
  if (lines === undefined) throw new CannotAnswer('I do sums, units, dates and clocks; this is none of them.')
  return { text: lines.map(line => (BARE.test(text) ? numberIn(line) : line)).join('\n'), uses: lines.length }
}

/** A request for the number alone. */
const BARE = /,? ?(please )?(answer|reply|respond)( only)? with (just |only )?the number( only| alone)?\.?$/i

function numberIn(line: string): string {
  return /-?\d+(\.\d+)?/.exec(line)?.[0] ?? line
}

/** The whole text as one question, or else its parts. */
function answers(text: string, now: Date, tools: ReadonlySet<string>): string[] | undefined {
  const whole = answerOne(text, now, tools)
  if (whole !== undefined) return [whole]
  for (const joint of text.matchAll(/[?;.!] +|,? and (?:then )?(?=what|how|when|which|convert|tell)|, /gi)) {
    const first = answerOne(text.slice(0, joint.index), now, tools)
    if (first === undefined) continue
    const rest = answers(text.slice(joint.index + joint[0].length), now, tools)
    if (rest !== undefined) return [first, ...rest]
  }
  return undefined
}

function answerOne(text: string, now: Date, tools: ReadonlySet<string>): string | undefined {
  const question = plain(text)
  for (const { tool, read } of READERS) {
    const line = read(question, now)
    if (line === undefined) continue
    if (!tools.has(tool))
      throw new CannotAnswer(`This needs the tool ${tool}, which is not enabled for this run.`)
    return line
  }
  return undefined
}

const MANNERS = [
  /^(hello|hi|hey|please|and|then|so|question:|task:)[,! ]+/,
  /^(can|could|would|will) you (please )?/,
  /^(please )?(use|using) the \w+( tool)?( to| and|[,:])? ?/,
  /^i('d| would) like (you )?to (know )?/,
  /^(tell|give) me /,
  /^(compute|calculate|work out|evaluate|find|determine)[: ]+/,
  /^(what|how much)('s| is| are| was| does|re)? /,
  /^(the )?(result|value|answer) (of|to) /,
]

/** In lower case, without courtesies and final punctuation. `what is` goes: every question asks that. */
function plain(text: string): string {
  let rest = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/["“”`]/g, '')
  rest = rest.replace(/(,? (please|thanks|thank you))?[\s?.!=]*$/, mark =>
    mark.includes('!') ? mark.trim() : '',
  )
  for (let before = ''; before !== rest; ) {
    before = rest
    for (const manner of MANNERS) rest = rest.replace(manner, '')
  }
  return rest.trim()
}
