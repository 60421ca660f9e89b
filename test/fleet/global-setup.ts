import { bundle } from '../../scripts/build.ts'

export default async function setup(): Promise<void> {
  await bundle('test/fleet/replica.ts', 'node_modules/.cache/fleet')
}
