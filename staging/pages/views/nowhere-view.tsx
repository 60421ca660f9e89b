import { Page } from '../parts/page.tsx'
import { hrefOf } from '../state/route.ts'

export function NowhereView() {
  return (
    <Page title="Nothing here">
      <p>
        The address names no view of this dashboard. <a href={hrefOf('')}>See the agents</a>
      </p>
    </Page>
  )
}
