import { bundleOnce } from './bundle-once.ts'

/** The versions of Node that everything runs on. */
const TESTED = ['24', '26']

export default async function setup(): Promise<void> {
  const [major = ''] = process.versions.node.split('.')
  if (!TESTED.includes(major)) {
    throw new Error(
      `expected Node ${TESTED.join(' or ')}, which .ci/run tries, got ${process.version}: run "npm test"`,
    )
  }
  // The process tests start the same bundle that ships.
  await bundleOnce('packages/test-support/process-entry.ts', 'node_modules/.cache/process')
}
