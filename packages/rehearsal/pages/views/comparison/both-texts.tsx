import type { Change } from 'diff'
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RunRecord } from '../../../api.ts'
import { Scroller } from '../../parts/scroller.tsx'
import { AgentText } from '../../parts/text.tsx'
import { type Both, differingParts } from '../../state/differences.ts'
import { visibleText } from '../../state/format.ts'

interface BothTextsProps {
  readonly runs: Both<RunRecord>
  /** For the labels: `answer`. */
  readonly name: string
  readonly texts: Both<string>
  /** In place of an empty text. */
  readonly absent?: string
}

/** Two texts beside each other, with what only one of them has marked; once, if they are the same. */
export function BothTexts({ runs, name, texts, absent = 'Empty' }: BothTextsProps) {
  const [first, second] = texts
  const parts = useMemo(() => (first === second ? undefined : differingParts(texts)), [first, second])
  if (first === second) {
    return (
      <>
        {first !== '' && <AgentText text={first} label={`The ${name} of both`} />}
        <p class="note">{first === '' ? `${absent} in both.` : 'The same in both.'}</p>
      </>
    )
  }
  return (
    <>
      <div class="stack pair">
        {runs.map(({ id }, index) => (
          <div key={index} class="stack field">
            <p class="note">Run {id}</p>
            <OneText
              text={texts[index]!}
              parts={parts?.[index]}
              mark={index === 0 ? 'del' : 'ins'}
              label={`The ${name} of run ${id}`}
              absent={absent}
            />
          </div>
        ))}
      </div>
      {parts === undefined && <p class="note">Too long, or too different, to mark what differs.</p>}
    </>
  )
}

interface OneTextProps {
  readonly text: string
  /** Absent: without marks. */
  readonly parts: readonly Change[] | undefined
  readonly mark: 'del' | 'ins'
  readonly label: string
  readonly absent: string
}

function OneText({ text, parts, mark, label, absent }: OneTextProps) {
  if (text === '') return <p class="note">{absent}</p>
  if (parts === undefined) return <AgentText text={text} label={label} />
  return (
    <Scroller kind="prose" label={label}>
      <pre dir="auto">
        {parts.map(({ value, added, removed }, index) =>
          h(added || removed ? mark : 'span', { key: index }, visibleText(value)),
        )}
      </pre>
    </Scroller>
  )
}
