/**
 * Runs `*.faults.ts`: `npm run test:faults`. Words filter files, as vitest's do; `--seed 17` repeats the case of that number, and
 * `--sample` tries few of the cases and leaves out what takes minutes.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, sample: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const { seed, sample } = values
if (seed !== undefined && !/^\d+$/.test(seed)) {
  process.stderr.write(`--seed: expected a whole number, got ${JSON.stringify(seed)}\n`)
  process.exit(1)
}

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/faults.config.ts']
const { status } = spawnSync(process.execPath, [...vitest, ...positionals], {
  stdio: 'inherit',
  env: { ...process.env, AT_LENGTH: sample ? 'no' : 'yes', ...(seed !== undefined && { SEED: seed }) },
})
process.exitCode = status ?? 1
