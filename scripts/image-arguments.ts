/** As a script: prints the build arguments for the image of this commit. */
import { origin } from './build/origin.ts'

const { commit, time, lockfile } = await origin()
const values = {
  REVISION: commit,
  SOURCE_DATE_EPOCH: Date.parse(time) / 1000,
  LOCKFILE: lockfile,
  CREATED: new Date().toISOString(),
}
const words = Object.entries(values).map(([name, value]) => `--build-arg ${name}=${value}`)
process.stdout.write(`${words.join(' ')}\n`)
