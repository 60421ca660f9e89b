import type { Check } from '../check.ts'
import type { Session } from '../session/session.ts'
import { Failed, OutOfSight } from '../verdicts.ts'
import { words } from './words.ts'

/** Letters of other scripts and markup characters, between delimiters that survive anything. */
const SENT = 'Qxä–東😀Ω<i>&"xQ'
const REPEATED = /Qx(?!Q).{0,200}?xQ/su

/** Text that comes back must be unchanged. If the agent repeats nothing, this cannot be checked. */
export function repeatedText(session: Session): Check {
  const input = `Repeat this word for word, and say nothing else: ${SENT}`
  return {
    id: 'run.letters',
    title: 'Text that a reply repeats is unchanged: UTF-8, no HTML escapes',
    why: words.text,
    how: session.curlRun({ task_id: 'test-1', input }),
    look: async () => {
      const { reply, request } = await session.run({ task_id: await session.newId(), input })
      const texts = [reply.output, reply.error].filter(text => typeof text === 'string')
      const repeated = texts.map(text => REPEATED.exec(text)?.[0]).find(text => text !== undefined)
      if (repeated === undefined) throw new OutOfSight('this agent does not repeat text')
      if (isDamaged(repeated)) throw new Failed(`expected ${SENT}, got ${repeated}`, session.curlRun(request))
    },
  }
}

/** A model may repeat badly, but it does not lose all non-ASCII letters or half a character, or escape markup. */
function isDamaged(repeated: string): boolean {
  if (!/[^\p{ASCII}]/u.test(repeated) || /東\?+Ω|\p{Cs}/u.test(repeated)) return true
  return /Ã|\ufffd|&(?:lt|amp|quot|#\w+);|\\u[\da-f]{4}/i.test(repeated)
}
