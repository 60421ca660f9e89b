import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface ScrollerProps {
  readonly label: string
  /** Its class. */
  readonly kind: string
  /** Whether its end stays in view as it grows, until the reader scrolls up. */
  readonly isGrowing?: boolean
  readonly children: ComponentChildren
}

/** How far from its end a box counts as scrolled to it, in pixels. */
const NEAR_END = 8

/** A box that scrolls overflowing content, also by keyboard. */
export function Scroller({ label, kind, isGrowing = false, children }: ScrollerProps) {
  const box = useRef<HTMLDivElement>(null)
  // Its scroll position at the end, when the reader last saw it.
  const end = useRef(0)
  function seeEnd() {
    end.current = box.current!.scrollHeight - box.current!.clientHeight
  }
  useLayoutEffect(() => {
    const { scrollTop, scrollHeight } = box.current!
    if (isGrowing && scrollTop > end.current - NEAR_END) box.current!.scrollTop = scrollHeight
    seeEnd()
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard scrolling needs the focus
    <div ref={box} class={kind} tabIndex={0} role="group" aria-label={label} onScroll={seeEnd}>
      {children}
    </div>
  )
}
