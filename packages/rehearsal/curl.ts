export interface Command {
  readonly url: string
  readonly method?: string | undefined
  readonly path: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** An object is sent as JSON. */
  readonly body?: string | object | undefined
  /** A shell command that prints the body, if it cannot be shown as text. */
  readonly bodyFrom?: string | undefined
  /** Name of the environment variable with the bearer token, if one is sent. */
  readonly tokenVariable?: string | undefined
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** The command that sends a request and shows the whole reply. Holds no token, only the variable's name. */
export function curl({ url, method, path, headers, body, bodyFrom, tokenVariable }: Command): string {
  const hasBody = body !== undefined || bodyFrom !== undefined
  const sent = { ...(hasBody && JSON_TYPE), ...headers }
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
  return [
    ...(bodyFrom === undefined ? [] : [`${bodyFrom} |`]),
    'curl -sS -i',
    ...(method === undefined || method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${method}`]),
    quoted(`${url}${path}`),
    // curl omits a header named without a value.
    ...Object.entries(sent).map(([name, value]) => `-H ${quoted(`${name}:${value && ` ${value}`}`)}`),
    ...(tokenVariable === undefined ? [] : [`-H "Authorization: Bearer $${tokenVariable}"`]),
    ...(hasBody ? [`--data-binary ${bodyFrom === undefined ? quoted(text) : '@-'}`] : []),
  ].join(' ')
}

/** Quotes text as one word for a POSIX shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
