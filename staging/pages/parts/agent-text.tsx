import { useState } from 'preact/hooks'
import { count } from '../state/format.ts'
import { piecesOf, visibleText } from '../state/visible-text.ts'
import { Scroller } from './scroller.tsx'

/** Longer texts are cut until asked for. */
const SHOWN = 4000

/** A text from outside over several lines, as text and nothing else. */
export function AgentText({ text, label, code = false }: { text: string; label: string; code?: boolean }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > SHOWN && !isWhole
  return (
    <div class="agent-text">
      <Scroller kind={code ? 'code' : 'prose'} label={label}>
        <pre dir={code ? 'ltr' : 'auto'}>
          {isWhole ? <Pieces text={text} /> : visibleText(text.slice(0, SHOWN))}
          {isCut && '…'}
        </pre>
      </Scroller>
      {isCut && (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </button>
      )}
    </div>
  )
}

/** The browser lays out only the pieces that are looked at: a megabyte in one would take it seconds. */
function Pieces({ text }: { text: string }) {
  return piecesOf(visibleText(text)).map((piece, index) => (
    <span key={index} class="piece">
      {piece}
    </span>
  ))
}

/** A short text from outside on one line, apart from the direction of what is around it. */
export function Inline({ text }: { text: string }) {
  return <bdi>{visibleText(text)}</bdi>
}
