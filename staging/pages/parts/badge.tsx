import type { AvailabilityState, CheckRun, RunStatus } from '../../api.ts'
import type { Verdict } from '../../report.ts'
import { Icon, type IconName } from './icon.tsx'

export interface Look {
  readonly tone: 'good' | 'bad' | 'warn' | 'quiet' | 'accent'
  readonly icon: IconName
  readonly word: string
}

const UNKNOWN: Look = { tone: 'quiet', icon: 'ring', word: 'unknown' }

const looks = {
  available: { tone: 'good', icon: 'disc', word: 'available' },
  unavailable: { tone: 'bad', icon: 'warning', word: 'unavailable' },
  unknown: UNKNOWN,
  success: { tone: 'good', icon: 'check', word: 'success' },
  error: { tone: 'bad', icon: 'cross', word: 'error' },
  timeout: { tone: 'warn', icon: 'clock', word: 'timeout' },
  violation: { tone: 'bad', icon: 'warning', word: 'violation' },
  refused: { tone: 'warn', icon: 'dash', word: 'refused' },
  cancelled: { tone: 'quiet', icon: 'dash', word: 'cancelled' },
  pass: { tone: 'good', icon: 'check', word: 'pass' },
  fail: { tone: 'bad', icon: 'cross', word: 'fail' },
  not_run: { tone: 'warn', icon: 'dash', word: 'not run' },
  underway: { tone: 'accent', icon: 'spinner', word: 'under way' },
  passed: { tone: 'good', icon: 'check', word: 'passed' },
  failed: { tone: 'bad', icon: 'cross', word: 'failed' },
  incomplete: { tone: 'warn', icon: 'dash', word: 'incomplete' },
  broken: { tone: 'bad', icon: 'warning', word: 'broken' },
} satisfies Record<AvailabilityState | RunStatus | Verdict | CheckRun['state'], Look>

export function lookOf(state: string): Look {
  return Object.hasOwn(looks, state) ? looks[state as keyof typeof looks] : { ...UNKNOWN, word: state }
}

/** A state as shape, word and colour. */
export function Badge({ state, word }: { state: string; word?: string }) {
  const look = lookOf(state)
  return (
    <span class={`badge tone-${look.tone}`}>
      <Icon name={look.icon} />
      {word ?? look.word}
    </span>
  )
}
