import { render } from 'preact'
import './style/index.css'
import type { AgentView } from '../api.ts'
import { Page } from './parts/page.tsx'
import { Shell } from './parts/shell.tsx'
import { DashboardContext } from './state/dashboard.ts'
import { usePoll } from './state/poll.ts'
import { hrefOf, type Route, useRoute } from './state/route.ts'
import { useRunner } from './state/runner.ts'
import { AgentsView } from './views/agents/agents-view.tsx'
import { CheckView } from './views/checks/check-view.tsx'
import { ChecksView } from './views/checks/checks-view.tsx'
import { FiguresView } from './views/figures/figures-view.tsx'
import { HistoryView } from './views/history/history-view.tsx'
import { RecordView } from './views/record/record-panel.tsx'
import { RunView } from './views/run/run-view.tsx'

const AGENTS_EVERY_MS = 1000

type AgentList = { readonly agents: readonly AgentView[] }

/** Provides what every view shares, and renders the view at the current address. */
function App() {
  const runner = useRunner()
  const { data, error } = usePoll<AgentList>('/api/agents', AGENTS_EVERY_MS)
  const agents = data?.agents ?? null
  const route = useRoute()
  return (
    <DashboardContext.Provider value={{ agents, runner }}>
      <Shell route={route} problem={error} runner={runner}>
        <View {...route} />
      </Shell>
    </DashboardContext.Provider>
  )
}

function View({ path: [view, id], query }: Route) {
  const number = /^\d{1,15}$/.test(id ?? '') ? Number(id) : undefined
  if (view === undefined) return <AgentsView />
  if (view === 'run') return <RunView agentId={id ?? null} />
  if (id === undefined) {
    if (view === 'runs') return <HistoryView query={query} />
    if (view === 'figures') return <FiguresView query={query} />
    if (view === 'checks') return <ChecksView />
  } else if (number !== undefined) {
    if (view === 'runs') return <RecordView key={number} id={number} />
    if (view === 'checks') return <CheckView key={number} id={number} at={query.get('at')} />
  }
  return <NowhereView />
}

function NowhereView() {
  return (
    <Page title="Page not found">
      <p>
        The dashboard has no page at this address. <a href={hrefOf('')}>Go to the agents</a>
      </p>
    </Page>
  )
}

render(<App />, document.body)
