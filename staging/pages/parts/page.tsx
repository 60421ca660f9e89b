import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface PageProps {
  readonly title: string
  /** Content next to the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

let isFirst = true

/** One view. Its heading takes the focus on arrival so that screen readers announce the view. */
export function Page({ title, aside, children }: PageProps) {
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
