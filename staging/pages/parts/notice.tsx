import type { ComponentChildren } from 'preact'
import { Icon } from './badge.tsx'

/** Something to know before reading on. `role="alert"` where it comes up while the page is looked at. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'quiet'; children: ComponentChildren }) {
  return (
    <div class={`notice tone-${tone}`} role={tone === 'quiet' ? undefined : 'alert'}>
      <Icon name={tone === 'quiet' ? 'dash' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}

/** What stands in for data that is not there yet, or could not be had. */
export function Pending({ error }: { error: Error | null }) {
  return error ? <Notice tone="bad">{error.message}</Notice> : <p class="note">Loading…</p>
}
