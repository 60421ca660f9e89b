import { useCallback, useEffect, useState } from 'preact/hooks'
import { DashboardPage } from './dashboard-page.tsx'
import { formTokenFor, takeToken } from './state/api-client.ts'
import { SignIn } from './views/sign-in.tsx'

/** Asks for the staging token unless the browser has a session, then shows the page at the current address. */
export function App() {
  /** Undefined until known. */
  const [formToken, setFormToken] = useState<string | null>()
  const [problem, setProblem] = useState<string | null>(null)
  // Reads the token during the first render: the address may change before effects run.
  const [given] = useState(takeToken)

  const signIn = useCallback(async (token: string | null) => {
    try {
      const session = await formTokenFor(token)
      setFormToken(session)
      setProblem(session === null && token !== null ? 'The platform does not accept this token.' : null)
    } catch (error) {
      setFormToken(null)
      setProblem((error as Error).message)
    }
  }, [])
  useEffect(() => {
    void signIn(given)
    // The printed link may open in a tab that already shows the dashboard.
    const takeNew = () => {
      const token = takeToken()
      if (token !== null) void signIn(token)
    }
    addEventListener('hashchange', takeNew)
    return () => removeEventListener('hashchange', takeNew)
  }, [])
  const refuse = useCallback(() => {
    setFormToken(null)
    setProblem('The session has ended: the platform may have restarted.')
  }, [])

  if (formToken === undefined) return null
  if (formToken === null) return <SignIn refused={problem} onToken={signIn} />
  return <DashboardPage key={formToken} formToken={formToken} onRefused={refuse} />
}
