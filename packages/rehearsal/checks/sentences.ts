import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** One of the contract. */
interface Sentence {
  readonly id?: string
  readonly says: string
  /** Assertions, or whole groups of them, that examine it and cite it. */
  readonly checks: readonly string[]
  /** Others that examine it. */
  readonly also: readonly string[]
  /** Why it cannot be seen from outside. */
  readonly unseen?: string
  /** What it leaves open is only advised on, and has no fault. */
  readonly open?: true
}

type Row = Omit<Sentence, 'checks' | 'also'> & { readonly checks?: string; readonly also?: string }

const idsIn = (text = '') => text.split(' ').filter(Boolean)
const rows: readonly Row[] = parse(readFileSync(new URL('sentences.yaml', import.meta.url), 'utf8'))

export const sentences: readonly Sentence[] = rows.map(({ checks, also, ...sentence }) => ({
  ...sentence,
  checks: idsIn(checks),
  also: idsIn(also),
}))

/** What an assertion cites, and the name of that sentence in `sentences.yaml`. */
export function whyOf(id: string): string {
  const citedBy = (name: string) => sentences.find(({ checks }) => checks.includes(name))
  const sentence = citedBy(id) ?? citedBy(id.split('.')[0]!)
  return sentence ? `${sentence.says} (${sentence.id})` : ''
}
