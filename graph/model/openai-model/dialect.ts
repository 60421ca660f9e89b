import { ProviderError } from '../model-error.ts'

export type CapName = 'max_tokens' | 'max_completion_tokens'

/** Which parts of the protocol a model's endpoint has turned out to support. */
export interface Dialect {
  /** The name of the token cap; absent: derived from the model's name. */
  readonly capName?: CapName
  /** Whether it accepts `stream_options`; without them, few servers report a stream's usage. */
  readonly knowsStreamOptions: boolean
  /** Placeholders, in turns of other models, for members that the provider requires. */
  readonly standIns?: { readonly message?: object; readonly call?: object }
  /** Whether call ids must be nine letters and digits. */
  readonly hasShortIds?: boolean
}

/** Errors by which providers refuse another model's turns, and what they accept instead, as they document it. */
const FOREIGN: readonly (readonly [refusal: RegExp, learnt: Partial<Dialect>])[] = [
  // DeepSeek, with thinking.
  [
    /missing `?reasoning_content|needs its reasoning_content/i,
    { standIns: { message: { reasoning_content: '' } } },
  ],
  [
    /missing a `?thought_signature/i,
    {
      standIns: {
        call: { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
      },
    },
  ],
  // Mistral.
  [/tool call id was .* must be/i, { hasShortIds: true }],
]

const dialects = new Map<string, Dialect>()

/** @param origin a model and its address */
export function dialectOf(origin: string): Dialect {
  return dialects.get(origin) ?? { knowsStreamOptions: true }
}

/** Whether the endpoint refused the request as malformed. */
export function isRefusal(error: unknown): error is ProviderError {
  const { status, headers } = error instanceof ProviderError ? error : {}
  return headers !== undefined && (status === 400 || status === 422)
}

/**
 * Remembers, for the life of the process, what the endpoint refuses and how to avoid it: by leaving it out, renaming it
 * or sending a placeholder.
 *
 * @param body the refused request
 */
export function learnDialect(origin: string, body: string, error: ProviderError): void {
  const learn = (learnt: Partial<Dialect>) => dialects.set(origin, { ...dialectOf(origin), ...learnt })
  const words = `${error.param ?? ''} ${error.message}`
  if (words.includes('stream_options')) learn({ knowsStreamOptions: false })
  const foreign = FOREIGN.find(([refusal]) => refusal.test(error.message))?.[1]
  if (foreign) learn(foreign)
  const sent = /"(max_tokens|max_completion_tokens)":\d+[,}]/.exec(body)?.[1]
  if (sent && !dialectOf(origin).capName && words.includes(sent) && isUnknown(error))
    learn({ capName: sent === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' })
}

/** Whether the endpoint refused a member's name rather than its value. */
function isUnknown({ code, message }: ProviderError): boolean {
  if (code === 'unsupported_parameter' || code === 'unknown_parameter') return true
  return /unsupported param|unknown (param|field|name|arg)|unrecognized|unexpected|extra (inputs|fields)|extra_forbidden|not (permitted|allowed|supported)/i.test(
    message,
  )
}
