/** The map from the sentences of the interface to checks and faults in docs/acceptance-checks.md. As a script it updates it. */
import { sentences } from '../staging/checks/sentences.ts'
import { faultsBySentence } from '../test/staging/checks/zoo/faults-by-sentence.ts'
import { replaceRegion } from './region.ts'

/** The table in Markdown. */
export function sentenceMap(): string {
  const rows = sentences.map(({ id = '', says, checks, also, unseen }) => {
    const faults = Object.keys(faultsBySentence[id] ?? {}).map(fault => `an agent that ${fault}`)
    const held =
      unseen === undefined
        ? [...checks, ...also].map(check => `\`${check}\``).join(', ')
        : `not seen: ${unseen}`
    return `| ${says} | ${held} | ${faults.join('; ')} |`
  })
  return ['| The interface says | held by | proved by |', '| --- | --- | --- |', ...rows].join('\n')
}

if (import.meta.main) replaceRegion('acceptance-checks.md', 'sentences', sentenceMap())
