import { useCallback, useEffect, useState } from 'preact/hooks'
import { DashboardPage } from './dashboard-page.tsx'
import { forgetToken, keepToken, takeToken } from './state/session.ts'
import { SignIn } from './views/sign-in.tsx'

/** Asks for the token where there is none, or where the platform has refused it. */
export function App() {
  const [token, setToken] = useState(takeToken)
  const [isRefused, setRefused] = useState(false)

  useEffect(() => {
    // The printed link may be opened in a tab that shows the dashboard already.
    const takeNew = () => setToken(takeToken())
    addEventListener('hashchange', takeNew)
    return () => removeEventListener('hashchange', takeNew)
  }, [])

  const accept = useCallback((given: string) => {
    keepToken(given)
    setRefused(false)
    setToken(given)
  }, [])
  const refuse = useCallback(() => {
    forgetToken()
    setRefused(true)
    setToken(null)
  }, [])

  if (token === null) return <SignIn isRefused={isRefused} onToken={accept} />
  return <DashboardPage key={token} token={token} onRefused={refuse} />
}
