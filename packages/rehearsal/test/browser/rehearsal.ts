import { buildPages } from '@agent-task-service/rehearsal/pages'
import { createRedact, listen, openStore, type PlatformParts } from '@agent-task-service/rehearsal/platform'
import { onTestFinished } from 'vitest'
import { AGENT_TOKEN, STAGING_TOKEN, testPlatform } from '../platform.ts'

const pages = buildPages()

/** A platform with its dashboard, on its own socket; stops with the test, or earlier. */
export async function startRehearsal({
  file = ':memory:',
  ...parts
}: Partial<PlatformParts> & { url?: string; file?: string } = {}) {
  let url = ''
  const store = openStore(file, createRedact([STAGING_TOKEN, AGENT_TOKEN]))
  const platform = testPlatform({ ownUrl: () => url, ...parts, store, pages: await pages })
  const server = await listen(platform.app, 0)
  url = server.url
  platform.start()
  let ended: Promise<void> | undefined
  const end = () => {
    ended ??= Promise.all([server.close(), platform.stop()]).then(() => store.close())
    return ended
  }
  onTestFinished(end)
  return { ...platform, store, url, end }
}
