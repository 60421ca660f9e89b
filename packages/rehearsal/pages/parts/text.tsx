import { useMemo, useState } from 'preact/hooks'
import { age, dated, moment, numberText, visibleText } from '../state/format.ts'
import { Icon } from './badge.tsx'
import { Markdown, markdownIn } from './markdown.tsx'
import { Scroller } from './scroller.tsx'

/** Characters to show before the reader asks for the rest. */
const SHOWN = 4000
/** The most that wraps: the browser takes seconds for a million. Code does not wrap. */
const MAX_WRAPPED = 200_000

interface AgentTextProps {
  readonly text: string
  readonly label: string
  /** `markdown` is formatted if it parses as Markdown, unless the reader wants it as it came. */
  readonly kind?: 'prose' | 'code' | 'markdown'
  /** Whether more of it will come: its end is shown. */
  readonly isGrowing?: boolean
}

/** Untrusted text over several lines, plain or formatted; never rendered as HTML. */
export function AgentText({ text, label, kind = 'prose', isGrowing = false }: AgentTextProps) {
  const [isAsked, setAsked] = useState(false)
  const [isPlain, setPlain] = useState(false)
  const visible = useMemo(() => visibleText(text), [text])
  const markdown = useMemo(() => (kind === 'markdown' ? markdownIn(visible) : undefined), [kind, visible])
  const tokens = isPlain ? undefined : markdown
  const most = kind === 'code' ? visible.length : Math.min(visible.length, MAX_WRAPPED)
  const length = isAsked ? most : SHOWN
  const isCut = visible.length > length && tokens === undefined
  const cut = isGrowing ? `…${visible.slice(-length)}` : `${visible.slice(0, length)}…`
  return (
    <div class="stack agent-text">
      <Scroller kind={kind === 'code' ? 'code' : 'prose'} label={label} isGrowing={isGrowing}>
        {tokens ? (
          <Markdown tokens={tokens} />
        ) : (
          <pre dir={kind === 'code' ? 'ltr' : 'auto'}>{isCut ? cut : visible}</pre>
        )}
      </Scroller>
      {markdown && !isGrowing && (
        <button type="button" class="small" aria-pressed={isPlain} onClick={() => setPlain(!isPlain)}>
          Plain text
        </button>
      )}
      {isCut && !isGrowing && !isAsked && (
        <button type="button" class="small" onClick={() => setAsked(true)}>
          Show {most < visible.length ? `${numberText(most)} of` : 'all'} {numberText(visible.length)}{' '}
          characters
        </button>
      )}
      {isCut && isAsked && (
        <p class="note">
          Shown are the first {numberText(most)} of {numberText(visible.length)} characters: more would stop
          the page.
        </p>
      )}
    </div>
  )
}

/** Untrusted text on one line, isolated from the direction of the surrounding text. */
export function Inline({ text }: { text: string }) {
  return <bdi>{visibleText(text)}</bdi>
}

/** A sentence from the checks; text between backticks becomes code. */
export function Worded({ text }: { text: string }) {
  const parts = visibleText(text).split(/`([^`]+)`/)
  return <bdi>{parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</bdi>
}

interface MomentProps {
  readonly at: string
  /** Whether to add how long ago. */
  readonly since?: boolean
  /** Whether to name the day even if it is today. */
  readonly isDated?: boolean
}

/** A time of day. */
export function TimeText({ at, since = false, isDated = false }: MomentProps) {
  return (
    <time dateTime={at} title={at}>
      {isDated ? dated(at) : moment(at)}
      {since && ` (${age(at)} ago)`}
    </time>
  )
}

/** Copies a text. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState('')
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setOutcome('Copied')
    } catch {
      setOutcome('The browser did not allow it')
    }
  }
  return (
    <span class="copy">
      <button type="button" class="small" onClick={copy} onBlur={() => setOutcome('')}>
        <Icon name="copy" />
        Copy<span class="sr-only"> {what}</span>
      </button>
      <span role="status" class="note">
        {outcome}
      </span>
    </span>
  )
}
