import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface PageProps {
  readonly title: string
  /** Content next to the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

let isFirst = true

/** One view. Its heading takes the focus on arrival, so that a screen reader announces the view. */
export function Page({ title, aside, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // A layout effect: an effect would run a frame later and take the focus from what the reader has chosen by then.
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
