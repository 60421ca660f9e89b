import { Page } from '../../parts/page.tsx'
import { hrefOf } from '../../state/route.ts'
import { RecordPanel } from './record-panel.tsx'

/** One recorded run, whole. */
export function RecordView({ id }: { id: number }) {
  return (
    <Page title={`Run ${id}`} aside={<a href={hrefOf('runs')}>History</a>}>
      <div class="stack">
        <RecordPanel id={id} task />
      </div>
    </Page>
  )
}
