import { visibleText } from '../state/visible-text.ts'

/** A sentence of the checks, with what stands between backticks as code. */
export function Worded({ text }: { text: string }) {
  const parts = visibleText(text).split(/`([^`]+)`/)
  return <bdi>{parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</bdi>
}
