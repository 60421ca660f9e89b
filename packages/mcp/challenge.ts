const OAUTH = 'OAuth'
/** The name of a scheme at the beginning of a challenge, if it is short and has letters alone. */
const NAME = /^([A-Za-z][A-Za-z-]{0,19})(?:\s+[^\s=]|$)/

/**
 * What a server that refuses access asks for, and what to set, in our own words, since its text may quote a key.
 *
 * @param challenge its header `WWW-Authenticate`
 * @param isGiven whether the request had an `Authorization`
 */
export function askedFor(challenge: string | null, isGiven: boolean): string {
  const schemes = schemesIn(challenge ?? '')
  const asks = schemes.length === 0 ? 'it does not say what it asks for' : `it asks for ${schemes.join(', ')}`
  if (isGiven) return `${asks}, and refuses the "Authorization" that mcp.json sets`
  const scheme = schemes[0] === OAUTH ? 'Bearer' : (schemes[0] ?? 'Bearer')
  return `${asks}: set "Authorization": "${scheme} ..." in its "headers" in mcp.json`
}

/** The schemes that a challenge names. */
function schemesIn(challenge: string): string[] {
  // What is quoted may look like a scheme.
  const bare = challenge.replaceAll(/\\./g, '').replaceAll(/"[^"]*"/g, '""')
  const names = bare.split(',').map(part => NAME.exec(part.trim())?.[1])
  const isOAuth = /\bresource_metadata\s*=/i.test(bare)
  return names.flatMap(name => (isOAuth && /^bearer$/i.test(name ?? '') ? OAUTH : (name ?? [])))
}
