/** The question is beyond this agent, or beyond the tools that it may use. */
export class CannotAnswer extends Error {}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const DAY_MS = 24 * 60 * 60 * 1000
const ZONES = new Map([
  ['São Paulo', 'America/Sao_Paulo'],
  ['Reykjavík', 'Atlantic/Reykjavik'],
])

interface Rule {
  readonly tool: 'calculator' | 'time'
  readonly form: RegExp
  /** Words its answer; undefined if the form alone was not enough. */
  answer(parts: readonly string[], now: Date): string | undefined
}

const sum = (form: RegExp, compute: (...values: number[]) => number): Rule => ({
  tool: 'calculator',
  form,
  answer: parts => `The answer is ${Number(compute(...parts.map(Number)).toPrecision(16))}.`,
})

const RULES: readonly Rule[] = [
  sum(/^what is ([\d.]+)% of ([\d.]+)$/i, (share, whole) => (share! / 100) * whole!),
  sum(/^what is ([\d.]+) (?:\*|times) ([\d.]+)$/i, (a, b) => a! * b!),
  sum(/^what is ([\d.]+) (?:\+|plus) ([\d.]+)$/i, (a, b) => a! + b!),
  sum(/^what is ([\d.]+) (?:-|minus) ([\d.]+)$/i, (a, b) => a! - b!),
  sum(/^what is the square root of (\d+)$/i, radicand => Number(Math.sqrt(radicand!).toPrecision(12))),
  {
    tool: 'time',
    form: /^what time is it in (.+)$/i,
    answer: ([place = ''], now) => {
      const timeZone = ZONES.get(place)
      return timeZone && `${now.toLocaleString('sv', { timeZone })} ${timeZone}.`
    },
  },
  {
    tool: 'time',
    form: /^what day of the week was (\d{1,2} [a-z]+ \d{4})$/i,
    answer: ([date]) => {
      const moment = new Date(`${date} UTC`)
      return `${moment.toISOString().slice(0, 10)} is a ${DAYS[moment.getUTCDay()]}.`
    },
  },
  {
    tool: 'time',
    form: /^how many days are there between (\d{4}-\d\d-\d\d) and (\d{4}-\d\d-\d\d)$/i,
    answer: ([from = '', to = '']) => `${(Date.parse(to) - Date.parse(from)) / DAY_MS} days.`,
  },
]

/** Answers each question in a text, one line each. @throws CannotAnswer */
export function answer(
  input: string,
  now: Date,
  tools: ReadonlySet<string>,
): { readonly text: string; readonly uses: number } {
  const echo = /^repeat\b[^:]*: (.+)$/is.exec(input.trim())?.[1]
  if (echo !== undefined) return { text: echo, uses: 0 }
  const text = input.replace(/\s+/g, ' ').trim()
  const questions = text.replace(/\?$/, '').split(/\? |, and (?=what|how)/)
  const lines = questions.map(question => answerOne(question, now, tools))
  return { text: lines.join('\n'), uses: lines.length }
}

function answerOne(question: string, now: Date, tools: ReadonlySet<string>): string {
  for (const rule of RULES) {
    const parts = rule.form.exec(question)?.slice(1)
    const line = parts && rule.answer(parts, now)
    if (line === undefined) continue
    if (tools.has(rule.tool)) return line
    throw new CannotAnswer(`This needs the tool ${rule.tool}, which is not enabled for this run.`)
  }
  throw new CannotAnswer('I do sums, dates and clocks; this is none of them.')
}
