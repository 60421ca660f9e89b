import type { AvailabilityState, CheckRun, RunStatus } from '../../api.ts'
import type { Verdict } from '../../report.ts'

/** Every state has its own shape, so that colour is never the only signal. */
const SHAPES = {
  check: 'M3.2 8.6l3.1 3.1 6.5-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  clock: 'M8 2.2a5.8 5.8 0 100 11.6A5.8 5.8 0 008 2.2zM8 5v3.2l2.2 1.6',
  warning: 'M8 2.4l6 10.8H2L8 2.4zM8 6.6v3M8 11.3v.2',
  disc: 'M8 4.6a3.4 3.4 0 100 6.8 3.4 3.4 0 000-6.8z',
  ring: 'M8 3a5 5 0 100 10A5 5 0 008 3z',
  dash: 'M4 8h8',
  copy: 'M6 6V3.4h6.6V10H10M3.4 6H10v6.6H3.4z',
  spinner: 'M8 2.2a5.8 5.8 0 015.8 5.8',
  model: 'M2.6 4h10.8v6.6H7.6L4.8 13v-2.4H2.6z',
  tool: 'M9.6 3a3.2 3.2 0 00-1 4.2L3 12.8l.9.9 5.6-5.6a3.2 3.2 0 004.2-4l-2 1.9-1.6-.4-.4-1.6 1.9-2z',
} as const

type IconName = keyof typeof SHAPES

/** Decorates words; hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  )
}

export interface Look {
  readonly tone: 'good' | 'bad' | 'warn' | 'quiet' | 'accent'
  readonly icon: IconName
  readonly word: string
}

const UNKNOWN: Look = { tone: 'quiet', icon: 'ring', word: 'unknown' }

/** An agent that begins to fail; a group of checks that has not begun; advisory assertions, which do not look like mandatory ones. */
type OtherState = 'failing' | 'waiting' | 'advisory' | 'not_run_advisory'

const looks = {
  available: { tone: 'good', icon: 'disc', word: 'available' },
  failing: { tone: 'warn', icon: 'warning', word: 'failing' },
  unavailable: { tone: 'bad', icon: 'warning', word: 'unavailable' },
  unknown: UNKNOWN,
  success: { tone: 'good', icon: 'check', word: 'success' },
  error: { tone: 'bad', icon: 'cross', word: 'error' },
  timeout: { tone: 'warn', icon: 'clock', word: 'timeout' },
  violation: { tone: 'bad', icon: 'warning', word: 'violation' },
  unreachable: { tone: 'bad', icon: 'dash', word: 'unreachable' },
  refused: { tone: 'warn', icon: 'dash', word: 'refused' },
  cancelled: { tone: 'quiet', icon: 'dash', word: 'cancelled' },
  waiting: { tone: 'quiet', icon: 'ring', word: 'waiting' },
  pass: { tone: 'good', icon: 'check', word: 'passed' },
  fail: { tone: 'bad', icon: 'cross', word: 'failed' },
  not_run: { tone: 'warn', icon: 'dash', word: 'not run' },
  advisory: { tone: 'warn', icon: 'warning', word: 'advisory' },
  not_run_advisory: { tone: 'quiet', icon: 'dash', word: 'not run' },
  underway: { tone: 'accent', icon: 'spinner', word: 'in progress' },
  passed: { tone: 'good', icon: 'check', word: 'passed' },
  failed: { tone: 'bad', icon: 'cross', word: 'failed' },
  incomplete: { tone: 'warn', icon: 'dash', word: 'incomplete' },
  broken: { tone: 'bad', icon: 'warning', word: 'broken' },
} satisfies Record<AvailabilityState | RunStatus | Verdict | CheckRun['state'] | OtherState, Look>

export function lookOf(state: string): Look {
  return Object.hasOwn(looks, state) ? looks[state as keyof typeof looks] : { ...UNKNOWN, word: state }
}

/** A state as shape, word and colour. */
export function Badge({ state, word }: { state: string; word?: string | undefined }) {
  const look = lookOf(state)
  return (
    <span class={`badge tone-${look.tone}`}>
      <Icon name={look.icon} />
      {word ?? look.word}
    </span>
  )
}
