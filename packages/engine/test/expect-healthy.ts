import { expect } from 'vitest'

/** The service on a port of this machine answers a health check. */
export async function expectHealthy(port: number): Promise<void> {
  const health = await fetch(`http://127.0.0.1:${port}/health`)
  expect(health.status).toBe(200)
  await health.text()
}
