import { randomInt } from 'node:crypto'

/**
 * Starts another project's program, which must be told its port and cannot choose one. The port is below those that systems
 * give to `listen(0)` and to outgoing connections, so the program can take it again later.
 *
 * @param start returns `undefined` if the program ended because the port is in use: another one is tried
 *
 * @example
 * const { child, port } = await atSomePort(async port => await startNginx(port))
 */
export async function atSomePort<Started>(
  start: (port: number) => Promise<Started | undefined>,
): Promise<Started> {
  const started = await start(randomInt(20_000, 32_768))
  return started ?? (await atSomePort(start))
}
