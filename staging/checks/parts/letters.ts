import type { Check } from '../check.ts'
import type { Session } from '../session/session.ts'
import { Failed, OutOfSight } from '../verdicts.ts'
import { words } from './words.ts'

/** Letters of other scripts and markup characters, between delimiters that survive anything. */
const SENT = 'Qxä–東😀Ω<i>&"xQ'
const SAID_BACK = /Qx(?!Q).{0,200}?xQ/su

/** Text that comes back must be unchanged. If the agent repeats nothing, this cannot be checked. */
export function letters(session: Session): Check {
  const input = `Repeat this word for word, and say nothing else: ${SENT}`
  return {
    id: 'run.letters',
    title: 'Text that a reply repeats is unchanged: UTF-8, no HTML escapes',
    why: words.text,
    how: session.curlRun({ task_id: 'test-1', input }),
    look: async () => {
      const { reply, request } = await session.run({ task_id: await session.newId(), input })
      const texts = [reply.output, reply.error].filter(text => typeof text === 'string')
      const said = texts.map(text => SAID_BACK.exec(text)?.[0]).find(text => text !== undefined)
      if (said === undefined) throw new OutOfSight('this agent does not repeat text')
      if (isDamaged(said)) throw new Failed(`expected ${SENT}, got ${said}`, session.curlRun(request))
    },
  }
}

/** A model may repeat badly, but it does not lose all non-ASCII letters or half a character, or escape markup. */
function isDamaged(said: string): boolean {
  if (!/[^\p{ASCII}]/u.test(said) || /東\?+Ω|\p{Cs}/u.test(said)) return true
  return /Ã|\ufffd|&(?:lt|amp|quot|#\w+);|\\u[\da-f]{4}/i.test(said)
}
