interface Cookie {
  readonly name: string
  readonly value: string
  readonly host: string
  readonly path: string
  readonly isSecure: boolean
}

/**
 * The cookies that servers set while they redirect one request. Each goes back to the host that set it and to no other,
 * whatever domain it names: telling which domains strangers share, as `co.uk`, would take a long list.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6265#section-5
 */
export class Cookies {
  #kept: readonly Cookie[] = []

  /** @param lines the values of `Set-Cookie` in the reply from a URL */
  keep({ hostname: host, pathname }: URL, lines: readonly string[] = []): void {
    for (const line of lines) {
      const [[name, value] = ['', ''], ...others] = line.split(';').map(pairOf)
      const attributes = new Map(others.map(([key, value]) => [key.toLowerCase(), value]))
      const own = attributes.get('path') ?? ''
      const path = own.startsWith('/') ? own : pathname.slice(0, pathname.lastIndexOf('/')) || '/'
      const isSame = (one: Cookie) => one.name === name && one.host === host && one.path === path
      this.#kept = this.#kept.filter(one => !isSame(one))
      if (name === '' || isOver(attributes)) continue
      this.#kept = [...this.#kept, { name, value, host, path, isSecure: attributes.has('secure') }]
    }
  }

  /** The header `Cookie` of a request to a URL; `undefined` if it has none. */
  headerFor({ hostname, pathname, protocol }: URL): string | undefined {
    const own = this.#kept.filter(
      ({ host, path, isSecure }) =>
        host === hostname &&
        (pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)) &&
        (!isSecure || protocol === 'https:'),
    )
    return own.map(({ name, value }) => `${name}=${value}`).join('; ') || undefined
  }
}

function pairOf(text: string): [string, string] {
  const [key = '', ...value] = text.split('=')
  return [key.trim(), value.join('=').trim()]
}

function isOver(attributes: ReadonlyMap<string, string>): boolean {
  const age = attributes.get('max-age')
  return age === undefined ? Date.parse(attributes.get('expires') ?? '') <= Date.now() : Number(age) <= 0
}
