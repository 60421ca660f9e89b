import { z } from 'zod'
import { expectedOf } from '../config/setting.ts'

const SHAPE = 'comma-separated key=value pairs'

/** Attributes of a resource, `key=value,key=value`; keys and values may be percent-encoded. */
export const resourceAttributes = z
  .string()
  .refine(text => pairsIn(text) !== undefined, { error: expectedOf(SHAPE) })
  .transform(text => pairsIn(text) ?? {})

/** Headers in the same form; their values are secrets. */
export const secretHeaders = z
  .string()
  .refine(text => Object.entries(pairsIn(text) ?? { '': '' }).every(isHeader), {
    error: `expected HTTP headers as ${SHAPE}, got something else (not shown)`,
  })
  .transform(text => pairsIn(text) ?? {})

function isHeader([name, value]: [string, string]): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\x20-\x7e]+$/.test(value)
}

function pairsIn(text: string): Record<string, string> | undefined {
  const parts = text.split(',').filter(part => part.trim() !== '')
  const pairs = parts.map(part => /^([^=]+)=(.*)$/s.exec(part)?.slice(1).map(decoded))
  if (!pairs.every(pair => pair?.[0] && pair[1] !== undefined)) return undefined
  return Object.fromEntries(pairs as [string, string][])
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return undefined
  }
}
