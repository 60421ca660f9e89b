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

/**
 * Remembers, for the life of the process, what the endpoint refuses and can be left out, named otherwise or stood in for.
 *
 * @param body the request that it refused
 * @returns whether the next body differs
 */
export function learnDialect(origin: string, body: string, error: unknown): boolean {
  if (!(error instanceof ProviderError) || (error.status !== 400 && error.status !== 422)) return false
  const dialect = dialectOf(origin)
  const words = `${error.param ?? ''} ${error.message}`
  if (words.includes('stream_options') && body.includes('"stream_options":')) {
    dialects.set(origin, { ...dialect, knowsStreamOptions: false })
    return true
  }
  const foreign = FOREIGN.find(([refusal]) => refusal.test(error.message))?.[1]
  if (foreign && Object.keys(foreign).every(name => dialect[name as keyof Dialect] === undefined)) {
    dialects.set(origin, { ...dialect, ...foreign })
    return true
  }
  const sent = /"(max_tokens|max_completion_tokens)":\d+[,}]/.exec(body)?.[1]
  if (!sent || dialect.capName || !words.includes(sent) || !isUnknown(error)) return false
  dialects.set(origin, {
    ...dialect,
    capName: sent === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
  })
  return true
}

/** Whether a member of the request is refused for its name, not for its value. */
function isUnknown({ code, message }: ProviderError): boolean {
  if (code === 'unsupported_parameter' || code === 'unknown_parameter') return true
  return /unsupported param|unknown (param|field|name|arg)|unrecognized|unexpected|extra (inputs|fields)|extra_forbidden|not (permitted|allowed|supported)/i.test(
    message,
  )
}
