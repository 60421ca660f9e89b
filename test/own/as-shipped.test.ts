import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Delete this file once the graph is your own. If you maintain the service: npm test -- test/own -u
test('the graph is the one from which the guides and their tests begin', async () => {
  const paths = await readdir('test/data/shipped', { recursive: true })
  for (const path of paths.filter(name => name.endsWith('.ts')))
    await expect(await readFile(path, 'utf8')).toMatchFileSnapshot(join('../data/shipped', path))
})
