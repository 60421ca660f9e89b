import './style/index.css'
import { render } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { AgentPage, AgentView } from '../api.ts'
import { Icon } from './parts/badge.tsx'
import { Notice, ViewPage } from './parts/page.tsx'
import { Inline } from './parts/text.tsx'
import { usePoll } from './state/api-client.ts'
import { DashboardContext } from './state/dashboard.ts'
import { SHOWN_RUNS } from './state/record.ts'
import { hrefOf, type Route, useRoute } from './state/route.ts'
import { readDraft, saveDraft, type TaskFields } from './state/task.ts'
import { AgentsView } from './views/agents/agents-view.tsx'
import { CheckView } from './views/checks/check-view.tsx'
import { ChecksView } from './views/checks/checks-view.tsx'
import { ComparisonView } from './views/comparison/comparison-view.tsx'
import { HistoryView } from './views/history/history-view.tsx'
import { RecordView } from './views/record/record-panel.tsx'
import { RunView } from './views/run/run-view.tsx'

const AGENTS_EVERY_MS = 1000

const VIEWS = [
  ['', 'Agents'],
  ['run', 'Run'],
  ['runs', 'History'],
  ['checks', 'Checks'],
] as const

/** The frame of every view, and what they share: skip link, navigation and the platform's status around the view at the address. */
function App() {
  const [draft, setFields] = useState(readDraft)
  const { data, error } = usePoll<AgentPage>('/api/agents', () => AGENTS_EVERY_MS)
  const { agents = null, loss = null } = data ?? {}
  const route = useRoute()
  const here = route.path[0] ?? ''
  const underway = latestUnderway(agents ?? [])
  const runPlace = useRef(hrefOf('run'))
  if (here === 'run') runPlace.current = location.hash
  function setDraft(fields: TaskFields): void {
    setFields(fields)
    saveDraft(fields)
  }
  return (
    <DashboardContext.Provider value={{ agents, draft, setDraft }}>
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        <span class="row brand">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <span>Staging rehearsal</span>
        </span>
        <nav aria-label="Views">
          {VIEWS.map(([path, title]) => (
            <a
              key={path}
              href={path === 'run' ? (underway ?? runPlace.current) : hrefOf(path)}
              aria-current={here === path ? 'page' : undefined}
            >
              {title}
              {path === 'run' && underway && here !== 'run' && (
                <span class="underway">
                  <Icon name="spinner" />
                  <span class="sr-only">, in progress</span>
                </span>
              )}
            </a>
          ))}
        </nav>
      </header>
      {error && (
        <div class="reach">
          <Notice tone="bad">{error.message} This page may be out of date. Retrying…</Notice>
        </div>
      )}
      {loss && (
        <div class="reach">
          <Notice tone="warn">
            <Inline text={loss} />
          </Notice>
        </div>
      )}
      <main id="main" tabIndex={-1}>
        <View {...route} />
      </main>
    </DashboardContext.Provider>
  )
}

function View({ path: [view, ...rest], query }: Route) {
  if (view === undefined) return <AgentsView />
  if (view === 'run' && rest.length <= 1) return <RunView agentId={rest[0] ?? null} runIds={runsIn(query)} />
  const [id = 0, other = 0] = rest.map(numberIn)
  if (id === null || other === null) return <NowhereView />
  switch (`${view} ${rest.length}`) {
    case 'runs 0':
      return <HistoryView query={query} />
    case 'runs 1':
      return <RecordView key={id} id={id} />
    case 'runs 2':
      return <ComparisonView key={`${id}/${other}`} ids={[id, other]} />
    case 'checks 0':
      return <ChecksView />
    case 'checks 1':
      return <CheckView key={id} id={id} at={query.get('at')} />
    default:
      return <NowhereView />
  }
}

function numberIn(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** The runs to show beside the form, without repetitions. */
function runsIn(query: URLSearchParams): number[] {
  return [...new Set(query.getAll('run').map(numberIn))].filter(id => id !== null).slice(0, SHOWN_RUNS)
}

function NowhereView() {
  return (
    <ViewPage title="Page not found">
      <p>
        The dashboard has no page at this address. <a href={hrefOf('')}>Go to the agents</a>
      </p>
    </ViewPage>
  )
}

/** The address of the latest runs in progress, beside the form; undefined if there is none. */
function latestUnderway(agents: readonly AgentView[]): string | undefined {
  const runs = agents.flatMap(({ id, underway }) => underway.map(run => ({ run, agentId: id })))
  const latest = runs.toSorted((a, b) => b.run - a.run).slice(0, SHOWN_RUNS)
  return latest[0] && hrefOf(`run/${latest[0].agentId}`, { run: latest.map(({ run }) => run) })
}

render(<App />, document.body)
