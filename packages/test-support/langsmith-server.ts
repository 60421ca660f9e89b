import { type Backend, startBackend } from './backend.ts'

/** A run as reported to LangSmith; later reports override earlier ones. */
export interface LangSmithRun {
  readonly id: string
  readonly name: string
  readonly run_type: string
  readonly session_name: string
  readonly parent_run_id?: string | undefined
  readonly trace_id: string
  readonly end_time?: number
  readonly error?: string
  readonly inputs?: unknown
  readonly outputs?: unknown
  readonly extra?: { readonly metadata?: Readonly<Record<string, unknown>> }
}

/** A fake LangSmith. */
export interface LangSmithServer extends Backend {
  /** The service's environment to trace here. */
  readonly env: Record<string, string>
  runs(): Promise<LangSmithRun[]>
}

export async function startLangSmith(answer?: Parameters<typeof startBackend>[0]): Promise<LangSmithServer> {
  const backend = await startBackend(answer)
  const env = {
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: backend.url,
    LANGSMITH_API_KEY: 'lsv2_pt_9f8e7d6c5b4a3f2e1d0c',
    LANGSMITH_PROJECT: 'rehearsal',
  }
  return { ...backend, env, runs: () => runsIn(backend) }
}

async function runsIn({ requests }: Backend): Promise<LangSmithRun[]> {
  const runs = new Map<string, Record<string, unknown>>()
  for (const { path, headers, body } of requests) {
    if (path !== '/runs/multipart') continue
    const type = headers['content-type'] ?? ''
    const form = await new Response(body, { headers: { 'content-type': type } }).formData()
    for (const [name, part] of form) {
      // Parts are named post.<id> or patch.<id>, and post.<id>.inputs for long members.
      const [, id = '', member] = name.split('.')
      const value = JSON.parse(typeof part === 'string' ? part : await part.text())
      runs.set(id, { ...runs.get(id), ...(member === undefined ? value : { [member]: value }) })
    }
  }
  return [...runs.values()] as unknown as LangSmithRun[]
}
