/** What stands where a secret was. */
export const MASK = '[redacted]'

/** The start of a word, in JSON too, where an escaped line break ends in the letter n. */
const WORD_START = String.raw`(?:\b|(?<=\\(?:[bfnrt]|u[\da-f]{4})))`

/** Of a set of characters, so many or more. V8 counts them on a stack, which some six million overflow. */
const COUNTED = /(\[[^[\]]+\])\{(\d+),\}/g

/** What any vendor's key looks like: known prefixes, JSON Web Tokens, credentials in a header or a URL. */
const KEY_SHAPES = [
  /\b(?:sk|pk|rk|gsk|xai|tvly|hf|pplx|r8|nvapi|glpat|dckr_pat|npm|pypi|shpat|whsec|fw|csk|lsv2_pt|lsv2_sk|BSA)[-_][A-Za-z0-9_-]{12,}/g,
  /\b(?:gh[pousr]_|github_pat_|xox[abeprs]-|AIza|ya29\.|AKIA|ASIA|SG\.|dop_v1_|EAAC?|sq0[a-z]{3}-|key-)[A-Za-z0-9_.-]{12,}/g,
  // Without a dot too, so that nothing is read twice.
  /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}/g,
  /\b(?:bearer|basic|token|api[-_]?key)(?:["']?\s*[:=]\s*["']?|\s+)[A-Za-z0-9._~+/=-]{16,}/gi,
  /\/\/[^\s/@:]*:[^\s/@]+@/g,
].map(
  ({ source, flags }) =>
    new RegExp(source.replace(String.raw`\b`, () => WORD_START).replace(COUNTED, '$1{$2}$1*'), flags),
)

/** What looks like a key has become recognizable before so many characters of it have come. */
const MAX_BEGINNING = 200

/** The end of a text that may become what looks like a key. */
const KEY_BEGINNING = new RegExp(
  `(?:${KEY_SHAPES.map(({ source }) => source.replace(/\{\d+\}\[[^[\]]+\]\*/g, '*').replace(/@$/, '')).join('|')})$`,
  'i',
)

/** Masks anything that looks like a key, known or not. For external text, such as errors. */
export function maskKeyShapes(text: string): string {
  return KEY_SHAPES.reduce((masked, shape) => masked.replace(shape, MASK), text)
}

/** The text up to what may become a key when more of it comes. */
export function withoutKeyBeginning(text: string): string {
  const end = text.slice(-MAX_BEGINNING)
  const at = end.search(KEY_BEGINNING)
  return at < 0 ? text : text.slice(0, text.length - end.length + at)
}
