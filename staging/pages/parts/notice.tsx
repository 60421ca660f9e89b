import type { ComponentChildren } from 'preact'
import { Icon } from './badge.tsx'

/** A message above the content. `role="alert"` announces those that may appear later. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'quiet'; children: ComponentChildren }) {
  return (
    <div class={`notice row tone-${tone}`} role={tone === 'quiet' ? undefined : 'alert'}>
      <Icon name={tone === 'quiet' ? 'dash' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}

/** Replaces data that is still loading or failed to load. */
export function Pending({ error }: { error: Error | null }) {
  return error ? <Notice tone="bad">{error.message}</Notice> : <p class="note">Loading…</p>
}
