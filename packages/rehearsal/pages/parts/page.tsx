import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './badge.tsx'

interface PageProps {
  readonly title: string
  /** Content next to the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

let isFirst = true

/** One view. Its heading takes the focus on arrival so that screen readers announce the view. */
export function ViewPage({ title, aside, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // A layout effect: a plain effect runs a frame later and could steal the focus from the reader's choice.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = `${title} · Staging rehearsal`
  }, [title])
  return (
    <>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </div>
      {children}
    </>
  )
}

interface SectionProps {
  readonly title: string
  /** Its name for screen readers, if the title does not say whose it is. */
  readonly label?: string
  /** A further class. */
  readonly kind?: string
  /** Content next to the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a view, with a heading. */
export function Section({ title, label = title, kind = '', aside, children }: SectionProps) {
  return (
    <section class={`panel stack ${kind}`} aria-label={label}>
      <div class="row between">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** A message above the content. `role="alert"` announces those that may appear later. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn'; children: ComponentChildren }) {
  return (
    <div class={`notice row tone-${tone}`} role="alert">
      <Icon name="warning" />
      <div>{children}</div>
    </div>
  )
}

/** Replaces data that is still loading or failed to load. */
export function Pending({ error }: { error: Error | null }) {
  return error ? <Notice tone="bad">{error.message}</Notice> : <p class="note">Loading…</p>
}
