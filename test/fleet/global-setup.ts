import { bundle } from '../../scripts/build.ts'
import setUp from '../support/global-setup.ts'

export default async function setup(): Promise<void> {
  await setUp()
  await bundle('test/fleet/replica.ts', 'node_modules/.cache/fleet')
}
