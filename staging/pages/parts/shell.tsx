import type { ComponentChildren } from 'preact'
import { hrefOf, type Route } from '../state/route.ts'
import type { Runner } from '../state/runner.ts'
import { Icon } from './badge.tsx'
import { Notice } from './notice.tsx'

const VIEWS = [
  ['', 'Agents'],
  ['run', 'Run'],
  ['runs', 'History'],
  ['figures', 'Figures'],
  ['checks', 'Checks'],
] as const

interface ShellProps {
  readonly route: Route
  /** Why the platform does not respond; null if it does. */
  readonly problem: Error | null
  readonly runner: Runner
  readonly children: ComponentChildren
}

/** The frame of every view: skip link, navigation and the platform's status. */
export function Shell({ route, problem, runner, children }: ShellProps) {
  const here = route.path[0] ?? ''
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        <span class="brand">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <span>Staging rehearsal</span>
        </span>
        <nav aria-label="Views">
          {VIEWS.map(([path, title]) => (
            <a key={path} href={hrefOf(path)} aria-current={here === path ? 'page' : undefined}>
              {title}
              {path === 'run' && runner.current?.endedAt === null && here !== 'run' && (
                <span class="underway">
                  <Icon name="spinner" />
                  <span class="sr-only">, in progress</span>
                </span>
              )}
            </a>
          ))}
        </nav>
      </header>
      {problem && (
        <div class="reach">
          <Notice tone="bad">{problem.message} This page may be out of date. Retrying…</Notice>
        </div>
      )}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
