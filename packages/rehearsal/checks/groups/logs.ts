import { type Check, type CheckGroup, check } from '../check.ts'
import { expectNoLeak, isLogSearched, type NamedSecret } from '../parts/leaks.ts'
import {
  askForSecrets,
  commandOf,
  EXAMPLE,
  places,
  plantAndRead,
  type SecretPlace,
} from '../parts/planted-secrets.ts'
import type { Session } from '../session/session.ts'
import { NotRun } from '../verdicts.ts'
import { waysOf } from '../ways.ts'

export const logs: CheckGroup = {
  id: 'logs',
  title: 'Logs contain no secrets',
  load: session => ({ alone: 0, beside: isLogSearched(session) ? 13 : 1 }),
  how: session =>
    `env REHEARSAL_API_KEY=${EXAMPLE} <start the agent>; ${session.curlFirst()}; curl -sS -i ${session.url}/health`,
  checks: session => {
    const { log, start, token } = session.options
    const hasLog = log !== undefined || start !== undefined
    /** Secrets that the agent legitimately holds and must keep. */
    const held = named([...(start?.secrets ?? []), ...(token ? [['bearer token', token] as const] : [])])
    /** @throws NotRun unless there is a log that grew with the runs */
    const afterwards = async () => {
      const found = await session.once(plantAndRead)
      if (!found.grew) throw new NotRun(silence(session))
      return found
    }
    const ofLog = (name: string, title: string, secrets: Secrets, place?: SecretPlace): Check => {
      const look = async () => {
        if (place) session.how = `${commandOf(session, place)}\n# then search the agent's log for ${EXAMPLE}`
        const found = await afterwards()
        expectNoLeak(found.text, secrets(found))
      }
      return check(`logs.${name}`, `The log holds no ${title}`, look, place?.advisory)
    }
    const ofPlace = (place: SecretPlace) =>
      ofLog(place.name, `secret sent ${place.title}`, ({ planted }) => planted.get(place) ?? [], place)
    const grow = check(
      'logs.grow',
      'There is a log, and it grows with the runs',
      async () => void (await afterwards()),
    )
    const environment = () => named(start?.secrets ?? [])
    const own = () => [["the agent's bearer token", token!]] as const
    const replies = check(
      'logs.replies',
      'No reply, /health included, holds the bearer token or a secret from the environment',
      async () => {
        // This group needs replies even when it runs alone.
        await session.once(askForSecrets)
        await session.calls.health()
        expectNoLeak([...session.calls.replies].join('\n'), held)
      },
    )
    return [
      ...(hasLog ? [grow, ...places.map(ofPlace)] : []),
      ...(start ? [ofLog('environment', 'secret from the environment, fake or real', environment)] : []),
      ...(hasLog && token !== undefined ? [ofLog('token', "bearer token of the agent's own", own)] : []),
      ...(held.length > 0 ? [replies] : []),
    ]
  },
}

type Secrets = (found: Awaited<ReturnType<typeof plantAndRead>>) => Iterable<NamedSecret>

function named(secrets: Iterable<NamedSecret>): NamedSecret[] {
  return Array.from(secrets, ([name, value]) => [`the value of ${name}`, value])
}

function silence({ options }: Session): string {
  const { log, start } = options
  const names = [start?.log.name, log?.name].filter(name => name !== undefined).join(' and ')
  return `${names} did not grow with the runs: the agent may log elsewhere (${waysOf(options).log}), buffer its output (PYTHONUNBUFFERED=1), or log nothing at all`
}
