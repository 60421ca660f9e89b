import { advice, type Check, check } from '../check.ts'
import { failuresOf, figuresOf, leastSteps } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, OutOfSight } from '../verdicts.ts'

/** Letters of other scripts and markup characters, between delimiters that survive anything. */
const SENT = 'Qxä–東😀Ω<i>&"XQ'
const REPEATED = /Qx(?!Q).{0,200}?xQ/isu
const LINES = 'Qx one\nTWO xQ'
const repeat = (text: string) => `Repeat this word for word, and say nothing else: ${text}`

/** Text that comes back must be unchanged. If the agent repeats nothing, this cannot be checked. */
export function repeatedText(session: Session): Check[] {
  return [
    check(
      'run.letters',
      'Text that a reply repeats is unchanged: UTF-8, no HTML escapes, capitals',
      async () => {
        const { repeated } = await session.once(letters)
        if (isDamaged(repeated)) throw new Failed(`expected ${SENT}, got ${repeated}`)
      },
    ),
    advice('run.lines', 'Text that a reply repeats keeps its line breaks', async () => {
      const { run, repeated } = await echo(session, LINES)
      if (run.reply.status !== 'success') throw new OutOfSight('this agent does not repeat text')
      if (!repeated.includes('\n')) throw new Failed(`expected two lines, got ${repeated}`)
    }),
  ]
}

/** A run without tools is no error where none is needed. */
export function withoutTools(session: Session): Check {
  const config = { enabled_tools: [] }
  return check('run.no_tools', 'A task that takes no tool succeeds with an empty enabled_tools', async () => {
    const { run } = await session.once(letters)
    if (run.reply.status !== 'success' || Number(figuresOf(run).steps) > leastSteps(session.runs))
      throw new OutOfSight('this agent does not repeat text without tools')
    const input = repeat(SENT)
    expectNone(failuresOf(await session.run({ input, config })))
  })
}

/** A run that no tool helps. */
export const letters = (session: Session) => echo(session, SENT)

/** @throws OutOfSight for an agent that does not repeat it */
async function echo(session: Session, text: string) {
  const run = await session.run({ input: repeat(text) })
  const texts = [run.reply.output, run.reply.error].filter(one => typeof one === 'string')
  const repeated = texts.map(one => REPEATED.exec(one)?.[0]).find(one => one !== undefined)
  if (repeated === undefined) throw new OutOfSight('this agent does not repeat text')
  return { run, repeated }
}

/** A model may repeat badly, but it does not lose all non-ASCII letters or half a character, or escape markup. */
function isDamaged(repeated: string): boolean {
  if (!/[^\p{ASCII}]/u.test(repeated) || /東\?+Ω|\p{Cs}/u.test(repeated)) return true
  if (!/[QXΩ]/.test(repeated)) return true
  return /Ã|\ufffd|&(?:lt|amp|quot|#\w+);|\\u[\da-f]{4}/i.test(repeated)
}
