import { writeFile } from 'node:fs/promises'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import type { BuildFailure } from 'esbuild'
import { billOfMaterials, completeBillOfMaterials } from '../build/bill-of-materials.ts'
import { bundle } from '../build/bundle.ts'
import { origin, setTimes } from '../build/origin.ts'
import { writeNotices } from '../build/third-party-notices.ts'
import { type Command, expectNoArguments, usageOf } from '../command.ts'
import { expectAgent } from '../own-agent.ts'

export const usage = usageOf(
  'agent build\n\nBundles the service into dist/, with its bill of materials, licence notices and origin.',
)

export const run: Command = async (args, env) => {
  expectNoArguments(args)
  expectAgent()
  process.stderr.write('building the service in dist/ …\n')
  const from = await origin(env)
  await bundle('src/main.ts', 'dist', [billOfMaterials]).catch((error: unknown) => {
    // The bundler has shown them, with their lines.
    if ((error as BuildFailure).errors) throw new StartError('not built: see the errors above')
    throw error
  })
  await writeNotices('dist')
  await completeBillOfMaterials('dist', from)
  await writeFile('dist/origin.json', `${JSON.stringify(from, null, 2)}\n`)
  await setTimes('dist', from)
  return 0
}
