import type { StructuredToolInterface } from '@langchain/core/tools'

/** A line of `packages/starter/test/data/forms.py`: a call as models write it, with what Python makes of it. */
export interface Form {
  readonly kind: string
  readonly expression?: string
  readonly args?: Readonly<Record<string, unknown>>
  /** `null`: it has two meanings or none. */
  readonly value: string | null
  readonly unit?: string
}

export type Judgement = 'right' | 'refused' | 'wrong'

/** When the forms are asked. */
export const FORMS_NOW = Date.parse('2026-11-20T10:27:11Z')

export const formsIn = (lines: string): Form[] =>
  lines
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

/** Calls the tools: what they answer, or the message of their refusal. Anything else thrown goes on. */
export async function judge(
  { expression, args, value, unit = '' }: Form,
  tools: { readonly calculator: StructuredToolInterface; readonly time: StructuredToolInterface },
): Promise<[Judgement, text: string]> {
  const call = args ? tools.time.invoke(args) : tools.calculator.invoke({ expression })
  try {
    const text: string = await call
    const isRight = value !== null && (args ? text.includes(value) : isValue(text, Number(value), unit))
    return [isRight ? 'right' : 'wrong', text]
  } catch (error) {
    if ((error as Error).name !== 'ToolError') throw error
    return ['refused', (error as Error).message]
  }
}

/** Whether the calculator's answer is this number, to eleven digits, in this unit. */
function isValue(text: string, value: number, unit: string): boolean {
  const [first = ''] = text.split('\n')
  const [, number, shown = ''] =
    /^.*? [=≈] (-?[\d.]+(?:e-?\d+)?)(?: ([^=≈]+?))?(?: ≈ [^=≈]+)?$/.exec(first) ?? []
  return Math.abs(Number(number) - value) <= 1e-11 * Math.abs(value) && shown === unit
}
