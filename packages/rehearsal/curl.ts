export interface Command {
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

/** The command that sends a request and shows the whole reply. Holds no token, only the variable's name. */
export function curl(command: Command): string {
  const { url, method, path, headers, body, bodyFrom, isText, tokenVariable, leaves } = command
  const hasBody = body !== undefined || bodyFrom !== undefined
  // Announces more than it sends.
  const length = leaves !== undefined && leaves !== 'waiting' && { 'Content-Length': '9999' }
  const sent = { ...(hasBody && JSON_TYPE), ...headers, ...length }
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
  const data = bodyFrom === undefined ? quoted(text) : isText ? `"$(${bodyFrom})"` : '@-'
  return [
    ...(bodyFrom === undefined || isText ? [] : [`${bodyFrom} |`]),
    ...(leaves === undefined ? [] : [`timeout ${leaves === 'silent' ? 60 : 0.1}`]),
    'curl -sS -i',
    ...(method === undefined || method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${method}`]),
    quoted(`${url}${path}`),
    // curl omits a header named without a value.
    ...Object.entries(sent).map(([name, value]) => `-H ${quoted(`${name}:${value && ` ${value}`}`)}`),
    ...(tokenVariable === undefined ? [] : [`-H "Authorization: Bearer $${tokenVariable}"`]),
    ...(hasBody ? ['--data-binary', data] : []),
  ].join(' ')
}

/** Quotes text as one word for a POSIX shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
