/**
 * Time from the start of a process to its first answered health check: the production build beside LangGraph's own
 * development server, in turn. Needs port 8080, and `npm run build` done. Usage: node bench/start.ts [rounds]
 */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStudio } from '../test/support/studio.ts'

const rounds = Number(process.argv[2] ?? 3)

async function production(): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, ['dist/main.js'], { env: {}, stdio: 'ignore' })
  const closed = new Promise(resolve => child.once('close', resolve))
  while (!(await fetch('http://127.0.0.1:8080/health').catch(() => undefined))?.ok) await sleep(5)
  const ms = performance.now() - started
  child.kill()
  await closed
  return ms
}

async function development(): Promise<number> {
  const started = performance.now()
  await using _studio = await startStudio()
  return performance.now() - started
}

const figures: { ours: number[]; dev: number[] } = { ours: [], dev: [] }
for (let round = 0; round < rounds; round += 1) {
  figures.ours.push(await production())
  figures.dev.push(await development())
}
const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const [ours, dev] = [median(figures.ours), median(figures.dev)]
process.stdout.write(
  `start to /health: ours ${ours.toFixed(0)} ms, langgraphjs dev ${dev.toFixed(0)} ms, ours / dev ${(ours / dev).toFixed(3)}\n`,
)
