import { answerTime, type TimeArguments } from '../time.ts'

/** Text that may be a moment or a duration; the time tool reads it. */
const TIME = String.raw`.*\d.*|noon|midnight`

/** Questions about times and dates, each with an operation of the time tool. */
const RULES = [
  ['convert', 'what time is it in (?<places>.+) when it is (?<time>TIME) in (?<zone>.+)'],
  ['convert', 'when it is (?<time>TIME) in (?<zone>.+), what time is it in (?<places>.+)'],
  ['convert', 'what day of the week (?:is|was) (?<time>TIME)'],
  ['difference', 'how many days (?:are there between|is it from) (?<time>TIME) (?:and|to) (?<end>TIME)'],
  ['add', 'what date (?:is|was) (?<duration>TIME) after (?<time>TIME)'],
  ['now', 'what (?:time is it|is the time)(?: in (?<places>.+))?'],
  ['now', "what (?:day is it|day is today|is today's date|is the date)(?: today)?"],
] as const
const PATTERNS = RULES.map(([operation, phrase]) => {
  return { operation, pattern: new RegExp(`^${phrase.replaceAll('TIME', TIME)}$`, 'i') }
})

/** Reads a question about times or dates; returns arguments for the time tool. */
export async function readTimeQuestion(text: string): Promise<TimeArguments | undefined> {
  const rule = PATTERNS.find(({ pattern }) => pattern.test(text))
  if (!rule) return undefined
  const { places, ...args } = rule.pattern.exec(text)?.groups ?? {}
  if (args.time && args.end) args.time = withYear(args.time, args.end)
  if (places === undefined) return { operation: rule.operation, ...args }
  const zones = await readPlaces(places)
  return zones && { operation: rule.operation, ...args, to_zones: zones }
}

/** `1 March` to `24 December 2026` begins in 2026. */
function withYear(time: string, end: string): string {
  const [year] = /\b\d{4}$/.exec(end) ?? []
  return year && /^[a-z]+ \d{1,2}$|^\d{1,2} [a-z]+$/i.test(time) ? `${time} ${year}` : time
}

/** Reads one place or two: `Tokyo`, `Tokyo and London`, `Trinidad and Tobago`. */
async function readPlaces(text: string): Promise<string[] | undefined> {
  const names = text.split(' and ')
  if (names.length === 1 || (await isPlace(text))) return [text]
  return names.length === 2 && !text.includes(',') ? names : undefined
}

async function isPlace(name: string): Promise<boolean> {
  return await answerTime({ operation: 'now', to_zones: [name] }).then(
    () => true,
    () => false,
  )
}
