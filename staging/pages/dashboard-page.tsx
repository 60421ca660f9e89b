import { useMemo } from 'preact/hooks'
import { Shell } from './parts/shell.tsx'
import { createApi } from './state/api-client.ts'
import { DashboardContext } from './state/dashboard.ts'
import { usePoll } from './state/poll.ts'
import { type Route, useRoute } from './state/route.ts'
import { useRunner } from './state/runner.ts'
import { AgentsView } from './views/agents/agents-view.tsx'
import { CheckView } from './views/checks/check-view.tsx'
import { ChecksView } from './views/checks/checks-view.tsx'
import { FiguresView } from './views/figures/figures-view.tsx'
import { HistoryView } from './views/history/history-view.tsx'
import { RecordView } from './views/history/record-view.tsx'
import { NowhereView } from './views/nowhere-view.tsx'
import { RunView } from './views/run/run-view.tsx'

const AGENTS_EVERY_MS = 2500

/** The signed-in page: what every view shares, and the view that the address names. */
export function DashboardPage({ token, onRefused }: { token: string; onRefused: () => void }) {
  const api = useMemo(() => createApi(token, onRefused), [token, onRefused])
  const runner = useRunner(api)
  const { data: agents, error } = usePoll('agents', AGENTS_EVERY_MS, api.agents)
  const route = useRoute()
  const dashboard = useMemo(() => ({ api, agents, runner }), [api, agents, runner])
  return (
    <DashboardContext.Provider value={dashboard}>
      <Shell route={route} problem={error} runner={runner}>
        <View {...route} />
      </Shell>
    </DashboardContext.Provider>
  )
}

function View({ path: [view, id], query }: Route) {
  if (view === undefined) return <AgentsView />
  if (view === 'run') return <RunView agentId={id ?? null} />
  if (view === 'runs')
    return id === undefined ? <HistoryView query={query} /> : <RecordView key={id} id={Number(id)} />
  if (view === 'figures') return <FiguresView query={query} />
  if (view === 'checks') return id === undefined ? <ChecksView /> : <CheckView key={id} id={Number(id)} />
  return <NowhereView />
}
