import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface PageProps {
  readonly title: string
  /** Beside the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

let isFirst = true

/** One view: its heading takes the focus when it comes up, so that a screen reader tells where one is. */
export function Page({ title, aside, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  // With its content: an effect would come a frame later, and take the focus from what was chosen by then.
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
