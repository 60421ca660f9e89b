import { isObject, membersOf, textIn, toText } from '@agent-task-service/wire/untrusted'

/** A provider's report of an error. */
export interface ErrorReport {
  readonly status: number | undefined
  readonly code: string | undefined
  /** Its words for the kind of error: code and type. */
  readonly type: string
  readonly message: string
  /** The member of the request that it is about. */
  readonly param: string | undefined
  /** `Headers` of the reply, or any object with their names as members. */
  readonly headers: unknown
}

/** The report in an error of any client; `undefined` if it is none. LangChain's classes each keep their client's own form. */
export function readReport(error: Error): ErrorReport | undefined {
  const { code, type, param, headers, response } = error as Error & Record<string, unknown>
  const status = statusOf(error)
  if (status === undefined && error.name !== 'ProviderError') return undefined
  const named = [code, type].find(word => typeof word === 'string' && /^[a-z_]{1,40}$/.test(word))
  return {
    status,
    code: typeof code === 'string' && code === named ? code : undefined,
    type: `${code ?? ''} ${type ?? ''}`,
    message: messageOf(error),
    param: textIn(param),
    headers: headers ?? membersOf(response).headers,
  }
}

/** The HTTP status: OpenAI, Anthropic and Google have it as `status`, Ollama as `status_code`, axios in its response, AWS in its metadata. */
function statusOf(error: Error): number | undefined {
  const { status, status_code, statusCode, response, $metadata } = error as Error & Record<string, unknown>
  const { httpStatusCode } = membersOf($metadata)
  const found = [status, status_code, statusCode, membersOf(response).status, httpStatusCode]
  return found.find(value => typeof value === 'number')
}

/** Ollama's client makes `[object Object]` of an error that is no text, and keeps it. */
function messageOf({ message, ...members }: Error): string {
  const { error } = members as Record<string, unknown>
  return message === String(error) && isObject(error) ? (textIn(error.message) ?? toText(error)) : message
}
