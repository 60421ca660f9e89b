/** The names of this machine's loopback interface in a URL. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether two URLs lead to the same server, by any name of the loopback interface. */
export function isSameServer(one: string, other: string): boolean {
  return serverOf(one) === serverOf(other)
}

function serverOf(text: string): string {
  const url = new URL(text)
  if (LOOPBACK.includes(url.hostname)) url.hostname = 'localhost'
  return url.origin
}
