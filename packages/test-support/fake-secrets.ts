import { tool } from './sample-tools.ts'

/** Deterministic pseudo-random text over an alphabet. */
function text(seed: number, length: number, alphabet: string): string {
  let state = seed * 2654435761 + 1
  return Array.from({ length }, () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)]
  }).join('')
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const HEX = '0123456789abcdef'
const URL_SAFE = `${ALPHANUMERIC}-_`

/** The forms of keys according to the vendors' documentation: prefix, then length and alphabet of the rest. */
const VENDORS: readonly (readonly [vendor: string, prefix: string, length: number, alphabet: string])[] = [
  ['OpenAI', 'sk-', 48, ALPHANUMERIC],
  ['Anthropic', 'sk-ant-api03-', 90, URL_SAFE],
  ['Groq', 'gsk_', 52, ALPHANUMERIC],
  ['xAI', 'xai-', 80, ALPHANUMERIC],
  ['Tavily', 'tvly-dev-', 32, ALPHANUMERIC],
  ['Hugging Face', 'hf_', 34, ALPHANUMERIC],
  ['Perplexity', 'pplx-', 48, ALPHANUMERIC],
  ['Replicate', 'r8_', 37, ALPHANUMERIC],
  ['NVIDIA', 'nvapi-', 64, URL_SAFE],
  ['Cerebras', 'csk-', 48, ALPHANUMERIC],
  ['Fireworks', 'fw_', 24, ALPHANUMERIC],
  ['LangSmith', 'lsv2_pt_', 43, HEX],
  ['Google', 'AIza', 35, URL_SAFE],
  ['Google OAuth', 'ya29.', 80, URL_SAFE],
  ['AWS', 'AKIA', 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'],
  ['AWS secret', '', 40, `${ALPHANUMERIC}+/`],
  ['GitHub', 'ghp_', 36, ALPHANUMERIC],
  ['GitHub fine-grained', 'github_pat_', 82, `${ALPHANUMERIC}_`],
  ['GitLab', 'glpat-', 20, URL_SAFE],
  ['Slack', 'xoxb-', 50, `${ALPHANUMERIC}-`],
  ['Stripe', 'sk_live_', 24, ALPHANUMERIC],
  ['SendGrid', 'SG.', 66, URL_SAFE],
  ['npm', 'npm_', 36, ALPHANUMERIC],
  ['JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.', 120, URL_SAFE],
  ['with regular expression characters', '$^.*+?()[]{}|\\/', 20, ALPHANUMERIC],
  ['with quotes and backslashes, which JSON escapes', '"\\"\\\\"', 24, ALPHANUMERIC],
]

interface FakeSecret {
  readonly vendor: string
  readonly value: string
}

/** Three fake secrets of each kind. */
export const fakeSecrets: readonly FakeSecret[] = VENDORS.flatMap(
  ([vendor, prefix, length, alphabet], index) =>
    [1, 2, 3].map(n => ({
      vendor: `${vendor} ${n}`,
      value: prefix + text(index * 10 + n, length, alphabet),
    })),
)

/** A secret as a careless program may write it: verbatim, escaped, encoded, in base64 among other bytes. */
export function writingsOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map(offset => Buffer.from(`${'x'.repeat(offset)}${secret}yz`).toString('base64'))
  const urlSafe = Buffer.from(secret).toString('base64url')
  return [secret, JSON.stringify(secret), encodeURIComponent(secret), ...base64, urlSafe]
}

/** Tools that give a secret away, in a result and in an error. */
export function carelessTools(secret: string) {
  const everyForm = `${writingsOf(secret).join(' ')} https://user:${secret}@host/`
  const tells = tool('tells', () => everyForm)
  const throws = tool('throws', () => {
    throw Object.assign(new Error(everyForm), { name: secret })
  })
  return [tells, throws]
}

/** What must appear nowhere. For base64 the inner digits: those at either end depend on the neighbours. */
export function tracesOf(secret: string): readonly string[] {
  const [plain = '', quoted = '', encoded = '', ...base64] = writingsOf(secret)
  return [plain, quoted.slice(1, -1), encoded, ...base64.map(digits => digits.slice(4, -8))]
}
