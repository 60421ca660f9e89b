import { useState } from 'preact/hooks'
import { TextField } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'

/** Asks for the token of the staging route. */
export function SignIn({ refused, onToken }: { refused: string | null; onToken: (token: string) => void }) {
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string>()
  function submit(event: Event): void {
    event.preventDefault()
    const given = token.trim()
    // A token must fit into a header.
    if (/^[\x21-\x7e]+$/.test(given)) onToken(given)
    else setProblem('Expected the token as printed: letters, digits and symbols, without spaces.')
  }
  return (
    <main id="main" class="sign-in">
      <Page title="Staging rehearsal">
        {refused !== null && <Notice tone="bad">{refused}</Notice>}
        <form class="panel stack" onSubmit={submit} noValidate>
          <TextField
            id="token"
            label="Staging token"
            hint="The platform prints it at start-up, with a link that includes it."
            problem={problem}
            control={{ type: 'password', autoComplete: 'current-password' }}
            value={token}
            onText={setToken}
          />
          <button type="submit" class="primary">
            Open the dashboard
          </button>
        </form>
      </Page>
    </main>
  )
}
