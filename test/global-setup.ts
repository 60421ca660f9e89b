import { bundleOnce } from './bundle-once.ts'
import { sampleSeed } from './sample-seed.ts'

/** The versions of Node that everything runs on. */
const TESTED = ['24', '26']

export default async function setup(): Promise<void> {
  const [major = ''] = process.versions.node.split('.')
  if (!TESTED.includes(major)) {
    throw new Error(
      `expected Node ${TESTED.join(' or ')}, which .ci/run tries, got ${process.version}: run "npm test"`,
    )
  }
  tellSample()
  // The process tests start the same bundle that ships.
  await bundleOnce('packages/test-support/process-entry.ts', 'node_modules/.cache/process')
}

/** Tests find the seed in the environment of their worker. */
function tellSample(): void {
  process.env.SAMPLE_SEED = sampleSeed()
  const { AT_LENGTH, SAMPLE_SEED } = process.env
  const told =
    AT_LENGTH === 'yes' ? 'every case' : `cases drawn with SAMPLE_SEED=${SAMPLE_SEED}; all with AT_LENGTH=yes`
  // Lists of tests are on stdout.
  process.stderr.write(`${told}\n`)
}
