import { fakeSecrets } from '@agent-task-service/test-support/fake-secrets'
import { holds, splits } from '@agent-task-service/test-support/holds'
import { createMask } from '@agent-task-service/wire/masking'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLog } from '../../engine/log/log.ts'

/** What a header can carry, and what an environment can carry in addition. */
const secret = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 8, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '/', '+', 'n'), minLength: 8, maxLength: 12 }),
  )
  // Its replacement must not contain it.
  .filter(
    value =>
      value.isWellFormed() && !'[redacted]'.includes(value) && !/^[\]ted]+/.test(value) && !/\[$/.test(value),
  )

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constant('\n'),
)

/** The ways in which a secret gets into text, each of them reversible. */
const writings: Record<string, readonly [write: (value: string) => string]> = {
  'as it is': [value => value],
  'in JSON': [value => JSON.stringify({ value })],
  'in JSON within JSON': [value => JSON.stringify(JSON.stringify([value]))],
  'percent-encoded': [value => encodeURIComponent(value)],
  'percent-encoded, in lower case': [value => lowerCase(encodeURIComponent(value))],
  'in a URL': [value => encodeURI(value)],
  'in a form': [value => new URLSearchParams({ value }).toString()],
  'in HTML': [value => inHtml(value)],
  'in HTML in JSON': [value => JSON.stringify({ value: inHtml(value) })],
  'in base64': [value => Buffer.from(value).toString('base64')],
  'in base64, after a name': [value => Buffer.from(`user:${value}`).toString('base64')],
  'in hexadecimal': [value => Buffer.from(value).toString('hex')],
  'in hexadecimal, in upper case': [value => Buffer.from(value).toString('hex').toUpperCase()],
  'in base64url, in the middle': [value => Buffer.from(`ab${value}cd`).toString('base64url')],
}

const lowerCase = (encoded: string) => encoded.replace(/%../g, digits => digits.toLowerCase())

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
}
const inHtml = (value: string) => value.replace(/[&<>"']/g, sign => ENTITIES[sign]!)

/** Whether a reader can recover the secret from the text, written in any of those ways. */
function holdsSecret(said: string, value: string): boolean {
  const escaped = JSON.stringify(value).slice(1, -1)
  const encoded = [encodeURI(value), encodeURIComponent(value), lowerCase(encodeURIComponent(value))]
  const html = inHtml(value)
  const forms = [
    ...[value, escaped, JSON.stringify(escaped).slice(1, -1), ...encoded],
    ...[Buffer.from(value).toString('hex'), Buffer.from(value).toString('hex').toUpperCase()],
    ...[new URLSearchParams({ '': value }).toString().slice(1), html, JSON.stringify(html).slice(1, -1)],
  ]
  if (forms.some(form => said.includes(form))) return true
  const digits = said.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []
  const decoded = digits.flatMap(run => [0, 1, 2, 3].map(from => Buffer.from(run.slice(from), 'base64')))
  return decoded.some(bytes => bytes.includes(value))
}

const around = fc.record({
  value: secret,
  others: fc.array(secret, { maxLength: 2 }),
  before: text,
  after: text,
  written: fc.constantFrom(...Object.keys(writings)),
})

const textOf = ({
  value,
  before,
  after,
  written,
}: Record<'value' | 'before' | 'after' | 'written', string>) =>
  `${before} ${writings[written]![0](value)} ${after}`

test('no masked text holds a known secret, however it was written', async () => {
  await holds(
    500,
    fc.property(around, given => {
      const masked = createMask([given.value, ...given.others])(textOf(given))
      expect(holdsSecret(masked, given.value), masked).toBe(false)
    }),
  )
})

test('no text masked in pieces holds a known secret', async () => {
  const inPieces = around.chain(given => fc.tuple(fc.constant(given), splits(fc.constant(textOf(given)))))
  await holds(
    500,
    fc.property(inPieces, ([given, pieces]) => {
      const mask = createMask([given.value])
      const stream = mask.inPieces()
      const said = [...pieces.map(piece => stream.push(piece)), stream.flush()].join('')
      expect(holdsSecret(said, given.value), said).toBe(false)
    }),
  )
})

// EVIDENCE-OF docs/reference/threat-model.md: Secrets are masked in every line, reply and event, even those split over
//   several pieces
test('masks a secret in pieces as a whole, even if it begins with another, contains it, or overlaps it', async () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 8, maxLength: 12 })
  const secrets = fc
    .tuple(letters, letters, fc.nat({ max: 8 }))
    .map(([one, other, from]) => [one, `${one}${other}`, `${other}${one}${other}`, other.slice(from) + one])
  const cases = fc
    .tuple(
      secrets,
      fc.array(fc.nat({ max: 5 }), { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c') }),
    )
    .chain(([known, order, noise]) => {
      const words = order.map(index => known[index] ?? noise)
      return fc.tuple(fc.constant(known), splits(fc.constant(words.join(''))))
    })
  await holds(
    350,
    fc.property(cases, ([known, pieces]) => {
      const mask = createMask(known)
      const stream = mask.inPieces()
      const said = [...pieces.map(piece => stream.push(piece)), stream.flush()].join('')
      expect(said).toBe(mask(pieces.join('')))
    }),
    // Masking the shorter one at once would have let the end of the longer one follow in the clear.
    [
      [
        [
          ['a-secret', 'a-secret-that-is-longer'],
          ['it is a-secret', '-that-is-longer!'],
        ],
      ],
    ],
  )
})

test('a text without a secret is unchanged, in one piece or many', async () => {
  await holds(
    170,
    fc.property(fc.tuple(splits(fc.string({ unit: 'binary' })), secret), ([pieces, value]) => {
      const whole = pieces.join('')
      fc.pre(!holdsSecret(whole, value))
      const mask = createMask([value])
      const stream = mask.inPieces()
      expect(mask(whole)).toBe(whole)
      expect([...pieces.map(piece => stream.push(piece)), stream.flush()].join('')).toBe(whole)
    }),
  )
})

// EVIDENCE-OF docs/reference/image.md: one JSON object per line on standard output; no secrets, no texts of tasks or answers.
// EVIDENCE-OF docs/guides/deployment.md: decisions/secrets.md, tracing.md
// EVIDENCE-OF docs/reference/threat-model.md: A line, a span or a reply contains a secret or a task's text
test('a log line is one JSON object without the secret, and without anything that looks like a key', async () => {
  // A key without a form of its own is masked only if it is known.
  const keys = fakeSecrets.filter(({ vendor }) => !/^(AWS secret|with) /.test(vendor))
  const key = fc.constantFrom(...keys.map(({ value }) => value))
  const between = fc.oneof(text, fc.constantFrom('\n', '\t', '"', '\\', ': ', '\u0001', '\u2028'))
  await holds(
    350,
    fc.property(fc.tuple(secret, key, between, between), ([value, unknown, before, after]) => {
      fc.pre(!/[\w-]$/.test(before) && !/^[\w.~+/=-]/.test(after))
      const lines: string[] = []
      const sink = { write: (written: string) => void lines.push(written) }
      const log = createLog({ logLevel: 'info', logErrors: 'full' }, createMask([value]), sink)
      log.info({ field: `${before}${unknown}${after}`, other: `${before} ${value}` }, 'said')
      const [line = ''] = lines
      expect(line.indexOf('\n')).toBe(line.length - 1)
      expect(JSON.parse(line)).toMatchObject({ msg: 'said' })
      expect(line).not.toContain(unknown)
      expect(holdsSecret(JSON.parse(line).other, value)).toBe(false)
    }),
    // A line break is \n in JSON, and its n came directly before the key.
    [[['a-secret-of-ours', 'sk-QRcHK0j1TU3YqUUR32vxv29TaOx6TwJkwrS5hnBQ9DGVImPN', '\n', '\n']]],
  )
})
