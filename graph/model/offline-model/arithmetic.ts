import { resolveName } from '../../../tools/calculator/names.ts'
import { normalize } from '../../../tools/calculator/notation.ts'
import { findUnit } from '../../../tools/calculator/units.ts'
import { withDigits } from '../../../tools/number-words.ts'
import { ToolError } from '../../../tools/tool.ts'
import { questionPhrases, valuePhrases } from './arithmetic-phrases.ts'

/** A number's unit; `in` is one only where no other unit follows. */
const MEASURE =
  /(?<=\d) ?(?!(?:as|st|[ex])\b|in\b(?! *(?:$|[-+*/^,)])| (?:and|plus|minus|times|to|in|into|as|by|from|of|among|between|squared|cubed|divided|multiplied)\b))((?:(?:sq|square|cu|cubic) )?([a-zµ°]+))\b/gi
/** Not arithmetic: dates, phone and serial numbers, versions. */
const OTHER =
  /\d{4}([-/])\d{1,2}\1\d{1,2}(?!\d)|\b\d{1,2}([-/.])\d{1,2}\2\d{4}(?!\d)|\d{3}-\d{3}-\d{4}|\d\.\d+\.\d|\b\d{3}-\d\d-\d{4}\b|(?=[\d-]{15})\d+(?:-\d+){3}/

/** Reads a question for the calculator; returns the expression in its notation. */
export function readArithmetic(typed: string): string | undefined {
  // The exclamation mark may be punctuation: "Calculate 5*3!".
  const isUncertain = /^[^!]*[-+*/^ ][^!]*!$/.test(typed)
  if (isUncertain || OTHER.test(typed)) return undefined
  const text = withDigits(typed.replace(/[\s=?]+$/, ''))
    .replace(/(?<=\d) ?per ?cent\b/gi, '%')
    .replace(/(?<=\d) (?:dollars?|euros?|bucks)\b/gi, '')
    .replace(MEASURE, (all, unit, name) => (findUnit(name) ? `\u00a0${unit.replace(' ', '\u00a0')}` : all))
    .replace(/(?<=\u00a0[a-zµ°]+) per (?=[a-z])/gi, '\u00a0per\u00a0')
    .replace(/(?<=\u00a0[a-z]+) (?=\d+(?:\.\d+)?\u00a0)/gi, '\u00a0')
  const questions = questionPhrases.flatMap(({ pattern, code }) => {
    const match = pattern.exec(text)
    return match ? [fill(code, match.slice(1))] : []
  })
  return [text, ...questions].map(rewrite).find(isCalculation)
}

/** Replaces words with the calculator's notation, innermost first. */
function rewrite(text: string): string {
  let code = text.replace(/^(?:an?|each) (?=\S+(?: \S+)? (?:to|into|in|as)\b)/i, '1 ')
  for (let before = ''; before !== code; ) {
    before = code
    for (const { pattern, code: notation } of valuePhrases)
      code = code.replace(pattern, (...match) => `${fill(notation, match.slice(1, -2).map(operand))} `)
  }
  return code
    .replace(/^rais(?:e|ing) /i, '')
    .replace(/\(\(([^()]*)\)\)/g, '($1)')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,)^])/g, '')
    .trim()
}

function fill(code: string, groups: readonly (string | undefined)[]): string {
  return code.replace(/\$(\d)/g, (_, at) => groups[at - 1] ?? '')
}

function operand(text = ''): string {
  const name = text.replace(/^(arc)?(sin|cos|tan)(?:e|ine|gent)$/i, '$1$2').replace(/(?<=^\d+)[a-z]{2}$/, '')
  const list = name.replace(/,(?=\d{3})/g, '').replace(/,? and /g, ', ')
  // 1 / 5 s would be a fifth of a second.
  return /^(?:-|.*[^(]\/\d+$|.*\u00a0)/.test(list) && !list.includes(', ') ? `(${list})` : list
}

/** Whether the calculator can read it, every sign has operands, and there is something to work out. */
function isCalculation(code: string): boolean {
  if (/\b(?:and|then)\b/i.test(code)) return false
  try {
    const text = normalize(code, () => {})
    const bare = withoutUnits(text)
    // Only a quantity can be converted.
    const [measured = '', target] = text.split(/\bto\b/)
    if (target && !/^\s*percent/.test(target) && withoutUnits(measured) === measured) return false
    const asks = /\b(?:pi|tau|phi|to|dozen)\b|\w\s*\(|[\w)']\s*(?:[-+*/^!]|\.\*|mod\b)/.test(bare)
    return asks && /\d|\bpi\b/.test(bare) && !MISPLACED.test(text)
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

function withoutUnits(text: string): string {
  return text.replace(/\/?\s*\b([a-zµ°_]+)\b(?!\()(?:\s*\^\s*[23])?/gi, (all, name) =>
    resolveName(name)?.kind === 'unit' ? '' : all,
  )
}

/** A misplaced operator, target unit or "of": `2 +`, `60 mi to 2 h`, `1 of us`. */
const MISPLACED =
  /(?:^|[-+*/^(,]|\b(?:mod|to)\b)\s*(?:[*/^'!),]|\.\*|(?:mod|to)\b|$)|\bto\s+[^\sa-zµμ°Ω]|(?<![\s')]|\/\s*\d+)\s*\.\*/i
