import { writeFile } from 'node:fs/promises'
import { bundle } from '../../scripts/build.ts'

export default async function setup(): Promise<void> {
  const [major] = process.versions.node.split('.')
  if (major !== '24') {
    throw new Error(`expected Node 24, as in the container, got ${process.version}: run "npm test"`)
  }
  // The process tests start the same bundle that ships.
  const built = await bundle('test/support/process-entry.ts', 'node_modules/.cache/process')
  await writeFile('node_modules/.cache/process/metafile.json', JSON.stringify(built))
}
