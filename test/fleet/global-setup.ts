import { bundleOnce } from '../bundle-once.ts'

export default async function setup(): Promise<void> {
  await bundleOnce('test/fleet/replica.ts', 'node_modules/.cache/fleet')
}
