/** An error and its causes, outermost first; nothing if it is no `Error`. */
export function causesOf(error: unknown): readonly Error[] {
  const chain = new Set<Error>()
  for (let link = error; link instanceof Error && !chain.has(link); link = link.cause) chain.add(link)
  return [...chain]
}
