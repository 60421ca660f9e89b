import { ToolError } from '@agent-task-service/engine/tool'
import { resolveName, unknownName } from './names.ts'
import table from './notation.json' with { type: 'json' }

/** A name of a module of Python or JavaScript. */
const MODULE = /(?<![\w.])(math|cmath|np|numpy|statistics)\.(\w+)/gi
const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(table.modules))
/** Words after which a number may begin: after any other, a parenthesis would call it. */
const WORD = String.raw`\b(?:of|plus|minus|times|by|per|x)`
const SIGN = String.raw`[*×÷([]|(?<!\de)[-+]|, `
/** `½` and `3½`, where a number may begin. */
const VULGAR = new RegExp(
  String.raw`(?<=(?:^|${SIGN}|[/^√]|(?<!\d *)[$€£¥₹]|${WORD}) *)(?<!\d\/(?=\d))(?:(\d+) *)?([¼-¾⅐-⅞])`,
  'gi',
)
/** `3 3/4`, where a number may begin and nothing follows that would take only its last part. */
const MIXED = new RegExp(
  String.raw`(?<=(?:^|${SIGN}|${WORD}) *)(\d+) +(\d{1,3})\/(\d{1,3})(?! *(?:[\d.(^!/√⁰¹²³⁴-⁹⁻¼-¾⅐-⅞]|,\d|e[-+\d]|x\d))`,
  'gi',
)
/** A fraction of LaTeX where no number may begin, or a number before it. */
export const MISPLACED = new RegExp(
  String.raw`(?<!(?:^|${SIGN}|[/^{÷]|(?<!\d *)[$€£¥₹]|${WORD}) *)\\frac`,
  'i',
)

/** `math.sqrt(2)` is `sqrt(2)`, unless the module means something else by the name. */
export function withoutModules(text: string): string {
  return text.replace(MODULE, (typed: string, module: string, name: string) => {
    const key = `${module.replace(/^numpy$/i, 'np')}.${name}`.toLowerCase()
    const [, refusal] =
      Object.entries(table.refusedNames).find(([names]) => names.split(', ').includes(key)) ?? []
    if (refusal !== undefined) throw new ToolError(`Syntax error at "${typed}": ${refusal}`)
    const same = NAMES.get(key)
    if (same !== undefined) return same
    const meaning = resolveName(name.toLowerCase(), true)
    return meaning && meaning.kind !== 'unit' ? name.toLowerCase() : unknownName(name, true)
  })
}

/** `3½` and `3 3/4` as sums; only a fraction below 1 makes a mixed number. */
export function withSums(text: string): string {
  return text
    .replace(VULGAR, (_, whole: string | undefined, sign: string) => {
      return sum(whole, sign.normalize('NFKC').replace('⁄', '/'))
    })
    .replace(MIXED, (typed: string, whole: string, above: string, below: string) => {
      const isProper = Number(above) > 0 && Number(above) < Number(below)
      return isProper ? sum(whole, `${above}/${below}`) : typed
    })
}

const sum = (whole: string | undefined, fraction: string) =>
  whole === undefined ? `(${fraction})` : `(${whole} + ${fraction})`
