/** How HTML and XML write quotation marks, double and single. */
const HTML_QUOTES = [
  ['"', "'"],
  ['&quot;', "'"],
  ['&quot;', '&#39;'],
  ['&quot;', '&#x27;'],
  ['&quot;', '&apos;'],
  ['&#34;', '&#39;'],
] as const

/** How often a text may be written as JSON within JSON. */
const MAX_DEPTH = 3

/** A secret in every form in which a text may hold it. */
export function formsOf(secret: string): string[] {
  const written = [secret, ...percentForms(secret), ...htmlForms(secret)]
  return [...written.flatMap(jsonForms), ...base64Forms(secret), ...hexForms(secret)]
}

/** As `encodeURI`, `encodeURIComponent` and forms encode it, with digits in upper and lower case. */
function percentForms(secret: string): string[] {
  // Half a character cannot be encoded.
  const text = secret.toWellFormed()
  const inForm = new URLSearchParams({ '': text }).toString().slice(1)
  return [encodeURI(text), encodeURIComponent(text), inForm].flatMap(encoded => [
    encoded,
    encoded.replace(/%[\dA-F]{2}/g, digits => digits.toLowerCase()),
  ])
}

function htmlForms(secret: string): string[] {
  const text = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return HTML_QUOTES.map(([double, single]) => text.replaceAll('"', double).replaceAll("'", single))
}

/** As it is, in JSON, in JSON within JSON, and that in JSON, as Redis has what a tool has returned. */
function jsonForms(text: string): string[] {
  const forms = [text]
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) forms.push(JSON.stringify(forms.at(-1)).slice(1, -1))
  return forms
}

/** The bytes in hexadecimal digits, in lower and upper case. */
function hexForms(secret: string): string[] {
  const digits = Buffer.from(secret).toString('hex')
  return [digits, digits.toUpperCase()]
}

/** The base64 digits that depend only on the secret, for each of the three offsets it can have in encoded text. */
export function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap(offset => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64')
    const whole = Math.floor(((offset + Buffer.byteLength(secret)) * 8) / 6)
    const digits = encoded.slice(Math.ceil((offset * 8) / 6), whole)
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
