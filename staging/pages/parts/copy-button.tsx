import { useState } from 'preact/hooks'
import { Icon } from './badge.tsx'

/** Copies a text. Browsers allow this only on HTTPS or localhost; elsewhere the button says so. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [message, setMessage] = useState<string | null>(null)
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setMessage('Copied')
    } catch {
      setMessage('This browser does not allow copying here')
    }
  }
  return (
    <span class="copy">
      <button type="button" class="small" onClick={copy} onBlur={() => setMessage(null)}>
        <Icon name="copy" />
        Copy<span class="sr-only"> {what}</span>
      </button>
      <span role="status" class="note">
        {message}
      </span>
    </span>
  )
}
