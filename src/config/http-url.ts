import { z } from 'zod'

/** A URL to call. It may hold no credentials, since errors would show them; for the same reason a bad one is not shown. */
export const httpUrl = z
  .string({ error: 'expected a string with an http(s) URL' })
  .refine(isPlain, { error: 'expected an http(s) URL without credentials, got something else (not shown)' })

function isPlain(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
