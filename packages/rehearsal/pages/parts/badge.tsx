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

/** An agent that begins to fail; a group of checks that has not begun; advisory assertions, which do not look like mandatory ones. */
type OtherState = 'failing' | 'waiting' | 'advisory' | 'not_run_advisory'
type State = AvailabilityState | RunStatus | Verdict | CheckRun['state'] | OtherState

/** The word is the state's own unless it is given. */
const looks: Readonly<Record<State, readonly [Look['tone'], IconName, word?: string]>> = {
  available: ['good', 'disc'],
  failing: ['warn', 'warning'],
  unavailable: ['bad', 'warning'],
  unknown: ['quiet', 'ring'],
  success: ['good', 'check'],
  error: ['bad', 'cross'],
  timeout: ['warn', 'clock'],
  violation: ['bad', 'warning'],
  unreachable: ['bad', 'dash'],
  refused: ['warn', 'dash'],
  cancelled: ['quiet', 'dash'],
  waiting: ['quiet', 'ring'],
  pass: ['good', 'check', 'passed'],
  fail: ['bad', 'cross', 'failed'],
  not_run: ['warn', 'dash', 'not run'],
  advisory: ['warn', 'warning'],
  not_run_advisory: ['quiet', 'dash', 'not run'],
  underway: ['accent', 'spinner', 'in progress'],
  passed: ['good', 'check'],
  failed: ['bad', 'cross'],
  incomplete: ['warn', 'dash'],
  broken: ['bad', 'warning'],
}

export function lookOf(state: string): Look {
  const [tone, icon, word = state] = looks[Object.hasOwn(looks, state) ? (state as State) : 'unknown']
  return { tone, icon, word }
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
