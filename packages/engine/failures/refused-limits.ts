/**
 * The largest cap that a provider would have accepted, read from its refusal; else half of it.
 *
 * @param sent the refused cap
 */
export function acceptedCap(message: string, sent: number): number {
  const room = roomBesidePrompt(message)
  if (room !== undefined && room > 0) return Math.min(room, sent - 1)
  const below = numbersIn(message).filter(number => number > 1 && number < sent)
  if (below.length === 0) return Math.max(1, Math.min(4096, Math.floor(sent / 2)))
  return Math.max(...below) - (message.includes('(exclusive)') ? 1 : 0)
}

/** Tokens of the context that the prompt leaves free, if the provider's message gives both figures. */
export function roomBesidePrompt(message: string): number | undefined {
  const context = contextIn(message)
  const prompt =
    /(?<!\d)(?:(\d+)(?: tokens)? (?:in|from|for) the (?:messages|prompt|input)|(\d+) (?:of text input|input tokens))/i.exec(
      message,
    )
  if (context === undefined || !prompt) return undefined
  return Math.max(0, context - Number(prompt[1] ?? prompt[2]))
}

/** The size of a model's context in tokens, read from the provider's refusal of a conversation. */
export function contextIn(message: string): number | undefined {
  const found =
    /(?:context (?:length|window|size)|maximum (?:number of )?tokens|allowed|limit|maximum)(?:(?!\bby\b)[^\d]){0,40}?([\d,]{4,})/i.exec(
      message,
    ) ?? /(?<![\d,])([\d,]{4,})(?: tokens)? ?(?:maximum|limit)/i.exec(message)
  return found ? amountIn(found[1]!) : undefined
}

/** Tokens of a refused conversation that a model of this context cannot take, if the provider's message says how many. */
export function tokensBeyond(context: number, message: string): number | undefined {
  const found = message.matchAll(
    /(?:token count|requested|resulted in)[^\d]{0,20}([\d,]+)|(?<![\d,])([\d,]+)(?: \w+)? tokens/gi,
  )
  return [...found].map(([, after, before]) => amountIn(after ?? before!)).find(tokens => tokens > context)
}

function amountIn(digits: string): number {
  return Number(digits.replaceAll(/[,_]/g, ''))
}

/** Whole numbers in the message, without those inside other words, such as the date in a model's name. */
function numbersIn(message: string): number[] {
  const found = message.matchAll(/(?<![\w.-])\d[\d,_]*(?![\w-]|\.\d)/g)
  return [...found].map(([text]) => amountIn(text))
}
