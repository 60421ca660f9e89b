/** The map from the sentences of the interface to checks and faults in docs/acceptance-checks.md. As a script it updates it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { faultsBySentence } from '../test/staging/checks/zoo/faults-by-sentence.ts'
import { replaceRegion } from './region.ts'

/** One of the interface. */
export interface Sentence {
  readonly id: string | undefined
  readonly says: string
  /** Assertions, or whole groups of them, that hold it. */
  readonly checks: readonly string[]
  /** Why it cannot be seen from outside. */
  readonly unseen?: string
  /** What it leaves open is only advised on, and has no fault. */
  readonly open?: true
}

type Row = Omit<Sentence, 'checks'> & { checks?: string }
const file = new URL('../staging/checks/sentences.yaml', import.meta.url)

export const sentences: readonly Sentence[] = (parse(readFileSync(file, 'utf8')) as Row[]).map(
  ({ checks = '', ...sentence }) => ({ ...sentence, checks: checks.split(' ').filter(Boolean) }),
)

/** The table in Markdown. */
export function sentenceMap(): string {
  const rows = sentences.map(({ id = '', says, checks, unseen }) => {
    const faults = Object.keys(faultsBySentence[id] ?? {}).map(fault => `an agent that ${fault}`)
    const held = unseen === undefined ? checks.map(check => `\`${check}\``).join(', ') : `not seen: ${unseen}`
    return `| ${says} | ${held} | ${faults.join('; ')} |`
  })
  return ['| The interface says | held by | proved by |', '| --- | --- | --- |', ...rows].join('\n')
}

if (import.meta.main) {
  const page = new URL('../docs/acceptance-checks.md', import.meta.url)
  writeFileSync(page, replaceRegion(readFileSync(page, 'utf8'), 'sentences', sentenceMap()))
}
