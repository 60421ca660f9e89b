import type { ComponentChildren } from 'preact'

interface ScrollerProps {
  readonly label: string
  /** Its class. */
  readonly kind: string
  readonly children: ComponentChildren
}

/** A box that scrolls overflowing content, also by keyboard. */
export function Scroller({ label, kind, children }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard scrolling needs the focus
    <div class={kind} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  )
}
