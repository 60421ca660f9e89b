import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface ErroneousRequest {
  readonly name: string
  /** What is sent. */
  readonly title: string
  readonly method?: string
  readonly path?: string
  /** In place of `Content-Type: application/json`; the empty string: none. */
  readonly type?: string
  readonly body?: Uint8Array | undefined
  /** The contract does not say whether this is an error: success is fine too. */
  readonly mayRun?: boolean
  readonly advisory?: boolean
  /** The wrong member of a JSON object. */
  readonly member?: string
}

type Part = string | Uint8Array | readonly [piece: string, times: number]
type Row = Omit<ErroneousRequest, 'body'> & { json?: unknown; config?: unknown; text?: readonly Part[] }

/** @param task one that the agent can do, for requests that are invalid elsewhere */
export function erroneousRequests(task: string): readonly ErroneousRequest[] {
  const rows: Row[] = parse(readFileSync(new URL('erroneous-requests.yaml', import.meta.url), 'utf8'))
  const written = JSON.stringify(task)
  const inJson = (value: unknown) => JSON.stringify(value).replaceAll('TASK', () => written.slice(1, -1))
  return rows.map(({ json, config, text, ...request }) => {
    if (config !== undefined) {
      const body = Buffer.from(inJson({ task_id: 'test-1', input: 'TASK', config }))
      return { ...request, member: 'config', mayRun: true, body }
    }
    if (json !== undefined) return { ...request, body: Buffer.from(inJson(json)) }
    const parts = text?.map(part => {
      if (part instanceof Uint8Array) return part
      const [piece, times] = typeof part === 'string' ? [part, 1] : part
      return Buffer.from(piece.replace('TASK', () => written).repeat(times))
    })
    return { ...request, body: parts && Buffer.concat(parts) }
  })
}
