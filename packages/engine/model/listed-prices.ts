import { asPublished, type Price } from '../run/price.ts'

/** When the prices in the package were published; changes with its version. */
export const PRICES_OF = '2026-09-23'

const prices = new Map<string, Promise<Price | undefined>>()

/**
 * The published price of a model, looked up once, from `@pydantic/genai-prices`. Its data take 20 MB once loaded.
 *
 * @param model the provider's name for it
 * @param endpoint URL of the provider's API
 * @returns `undefined` if the package does not know the model at that endpoint
 */
export function listedPrice(model: string, endpoint: string): Promise<Price | undefined> {
  const key = JSON.stringify([model, endpoint])
  const price = prices.get(key) ?? lookUp(model, endpoint)
  prices.set(key, price)
  return price
}

async function lookUp(model: string, endpoint: string): Promise<Price | undefined> {
  const { calcPrice } = await import('@pydantic/genai-prices')
  const price = ({ inputTokens, cachedTokens = 0, outputTokens }: Parameters<Price>[0]) => {
    const usage = { input_tokens: inputTokens, cache_read_tokens: cachedTokens, output_tokens: outputTokens }
    return calcPrice(usage, model, { providerApiUrl: endpoint })?.total_price
  }
  if (price({ inputTokens: 1, outputTokens: 1 }) === undefined) return undefined
  return asPublished(tokens => price(tokens) ?? 0)
}
