import { redactor, searcher } from '../../secrets.ts'
import type { Session } from '../session/session.ts'
import { Failed, NotRun } from '../verdicts.ts'

/** A secret, with its name in reports. */
export type NamedSecret = readonly [name: string, secret: string]

const SHOWN_AROUND = 60
const WINDOW = 4_000

/** @throws Failed at the first secret in a text, quoting the text around it with all secrets masked */
export function expectNoLeak(text: string, secrets: Iterable<NamedSecret>): void {
  const all = [...secrets]
  const search = searcher(text)
  for (const [name, secret] of all) {
    const found = search(secret)
    if (found === undefined) continue
    const mask = redactor(all.map(([, one]) => one))
    const end = found.at + found.length
    // Masks before cutting: half a secret would not be recognised.
    const before = mask(found.text.slice(Math.max(0, found.at - WINDOW), found.at)).slice(-SHOWN_AROUND)
    const after = mask(found.text.slice(end, end + WINDOW)).slice(0, SHOWN_AROUND)
    throw new Failed(`found ${name}, ${found.form}: ${JSON.stringify(`${before}[the secret]${after}`)}`)
  }
}

/** Whether there is a log, and it is to be searched. */
export function isLogSearched({ options: { log, start, only } }: Session): boolean {
  return (log !== undefined || start !== undefined) && (only?.includes('logs') ?? true)
}

/** @throws NotRun if one cannot be read */
export async function readLog({ options: { log, start } }: Session): Promise<string> {
  const sources = [start?.log, log].filter(source => source !== undefined)
  const texts = sources.map(async ({ name, read }) => {
    try {
      return await read()
    } catch (error) {
      throw new NotRun(`${name} could not be read: ${error instanceof Error ? error.message : 'unknown'}`)
    }
  })
  return (await Promise.all(texts)).join('\n')
}
