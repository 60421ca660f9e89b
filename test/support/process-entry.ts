/**
 * The real process, on any free port of the loopback interface; with `TEST_PORT` on that port and every address, as an
 * agent under its acceptance checks must be.
 */
import '../../src/signals.ts'

// On demand, as src/main.ts does.
const { runProcess } = await import('../../src/process.ts')
const { TEST_PORT } = process.env
await runProcess(
  process.env,
  TEST_PORT ? { port: Number(TEST_PORT), hostname: '0.0.0.0' } : { port: 0, hostname: '127.0.0.1' },
)
