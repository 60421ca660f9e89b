export interface CurlCommand {
  readonly url: string
  readonly method?: string | undefined
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** An object is sent as JSON. */
  readonly body?: string | object | undefined
  /** A shell command that prints the body, if it cannot be shown as text. */
  readonly bodyFrom?: string | undefined
  /** Whether that is text without a line break at its end, and short enough for a command. */
  readonly isText?: boolean
  /** The caller hangs up instead of waiting for the reply, or half-way through the body; or sends half of it, and no more. */
  readonly leaves?: Leaving | undefined
  /** Name of the environment variable with the bearer token, if one is sent. */
  readonly tokenVariable?: string | undefined
}

export type Leaving = 'waiting' | 'half-way' | 'silent'

const JSON_TYPE = { 'Content-Type': 'application/json' }
/** More than is sent. */
const LONGER = { 'Content-Length': '9999' }
const SECONDS: Readonly<Record<Leaving, number>> = { waiting: 0.1, 'half-way': 0.1, silent: 60 }

/** The command that sends a request and shows the whole reply. Holds no token, only the variable's name. */
export function curl(command: CurlCommand): string {
  const { url, method, path, headers, tokenVariable, leaves } = command
  const { before, data } = bodyOf(command)
  const isHalf = leaves !== undefined && leaves !== 'waiting'
  const sent = { ...(data && JSON_TYPE), ...headers, ...(isHalf && LONGER) }
  return [
    ...before,
    ...(leaves === undefined ? [] : [`timeout ${SECONDS[leaves]}`]),
    'curl -sS -i',
    ...(method === undefined || method === (data ? 'POST' : 'GET') ? [] : [`-X ${method}`]),
    shellQuoted(`${url}${path}`),
    // curl omits a header named without a value.
    ...Object.entries(sent).map(([name, value]) => `-H ${shellQuoted(`${name}:${value && ` ${value}`}`)}`),
    ...(tokenVariable === undefined ? [] : [`-H "Authorization: Bearer $${tokenVariable}"`]),
    ...(data ? [`--data-binary ${data}`] : []),
  ].join(' ')
}

/** What comes before a command with this body, and the word that it gets for it; absent: none. */
function bodyOf({ body, bodyFrom, isText }: CurlCommand): { before: readonly string[]; data?: string } {
  if (bodyFrom !== undefined)
    return isText ? { before: [], data: `"$(${bodyFrom})"` } : { before: [`${bodyFrom} |`], data: '@-' }
  if (body === undefined) return { before: [] }
  return { before: [], data: shellQuoted(typeof body === 'object' ? JSON.stringify(body) : body) }
}

/** Quotes text as one word for a POSIX shell. */
export function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
