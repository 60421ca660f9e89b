import { ProviderError } from '../model-error.ts'

export type CapName = 'max_tokens' | 'max_completion_tokens'

/** What a model's endpoint turned out to understand of the protocol. */
export interface Dialect {
  /** The name of the cap; absent: by the model's name. */
  readonly capName?: CapName
  /** Whether it takes `stream_options`; without them, few servers report the usage of a stream. */
  readonly knowsStreamOptions: boolean
  /** What stands, in turns of other models, for words that the provider insists on. */
  readonly standIns?: { readonly message?: object; readonly call?: object }
  /** Whether ids of calls must have nine letters and digits. */
  readonly hasShortIds?: boolean
}

/** Refusals of turns that came from another model, and what is taken in their place by the provider's own word. */
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

/** Whether the endpoint would not take a request as it was. */
export function isRefusal(error: unknown): error is ProviderError {
  const { status, headers } = error instanceof ProviderError ? error : {}
  return headers !== undefined && (status === 400 || status === 422)
}

/**
 * Remembers, for the life of the process, what the endpoint refuses and can be left out, named otherwise or stood in for.
 *
 * @param body the request that it refused
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

/** Whether a member of the request is refused for its name, not for its value. */
function isUnknown({ code, message }: ProviderError): boolean {
  if (code === 'unsupported_parameter' || code === 'unknown_parameter') return true
  return /unsupported param|unknown (param|field|name|arg)|unrecognized|unexpected|extra (inputs|fields)|extra_forbidden|not (permitted|allowed|supported)/i.test(
    message,
  )
}
