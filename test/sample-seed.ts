import { spawnSync } from 'node:child_process'

/** The seed by which suites draw samples of their cases: `SAMPLE_SEED`, or each commit's own. As a script it prints it. */
export function sampleSeed(): string {
  const { stdout: commit } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return process.env.SAMPLE_SEED ?? String(Number.parseInt(commit?.slice(0, 8), 16) || 1)
}

if (import.meta.main) process.stdout.write(sampleSeed())
