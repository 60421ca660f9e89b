/**
 * Polls the `/health` of each address every 50 ms, in a process that does nothing else and has priority if permitted.
 * When its input ends, it prints how many milliseconds each answer took.
 */
import { setPriority } from 'node:os'

const EVERY_MS = 50

const took: number[] = []
const asked = new Set<Promise<void>>()

async function ask(address: string): Promise<void> {
  const askedAt = performance.now()
  const { status } = await fetch(`${address}/health`)
  if (status !== 200) throw new Error(`health: expected 200, got ${status}`)
  took.push(performance.now() - askedAt)
}

try {
  setPriority(-10)
} catch {
  // Then without priority.
}
const timer = setInterval(() => {
  for (const address of process.argv.slice(2)) {
    const answered = ask(address).finally(() => asked.delete(answered))
    asked.add(answered)
  }
}, EVERY_MS)
process.stdin.resume().once('end', async () => {
  clearInterval(timer)
  await Promise.all(asked)
  process.stdout.write(JSON.stringify(took))
})
