import type { RunSummary } from '../../../api.ts'
import { useMedia } from '../../state/media.ts'
import { RunCards } from './run-cards.tsx'
import { RunTable } from './run-table.tsx'

/** Runs as a table, or as cards where there is no room for one. */
export function RunList({ runs, label }: { runs: readonly RunSummary[]; label: string }) {
  const isNarrow = useMedia('(max-width: 760px)')
  return isNarrow ? <RunCards runs={runs} label={label} /> : <RunTable runs={runs} label={label} />
}
