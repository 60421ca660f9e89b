import { origin } from '../build/origin.ts'
import { type Command, expectNoArguments, usageOf } from '../command.ts'
import { expectAgent } from '../own-agent.ts'

export const usage = usageOf(
  'docker build $(agent image-arguments) .\n\nPrints the build arguments for the image of this commit.',
)

export const run: Command = async (args, env) => {
  expectNoArguments(args)
  expectAgent()
  const { commit, time, lockfile } = await origin(env)
  const values = {
    REVISION: commit,
    SOURCE_DATE_EPOCH: Date.parse(time) / 1000,
    LOCKFILE: lockfile,
    CREATED: new Date().toISOString(),
  }
  const words = Object.entries(values).map(([name, value]) => `--build-arg ${name}=${value}`)
  process.stdout.write(`${words.join(' ')}\n`)
  return 0
}
