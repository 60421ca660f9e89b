import { useState } from 'preact/hooks'
import { Icon } from './badge.tsx'

/** Copies a text. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <span class="copy">
      <button type="button" class="small" onClick={copy} onBlur={() => setCopied(false)}>
        <Icon name="copy" />
        Copy<span class="sr-only"> {what}</span>
      </button>
      <span role="status" class="note">
        {isCopied && 'Copied'}
      </span>
    </span>
  )
}
