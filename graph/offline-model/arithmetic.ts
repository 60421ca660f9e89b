import { resolveCall } from '../../tools/calculator/names.ts'
import { digitsForWords } from './number-words.ts'

const NUMBER = String.raw`[-+]?\d[\d,]*(?:\.\d+)?`
/** An operand of a worded operation: a number with its unit or percent sign, or what stands in parentheses. */
const OPERAND = String.raw`(?:\([^()]*\)|${NUMBER}(?:\s*(?:%|[a-zA-Z°]+))?|pi|π|e|tau)`

type Rule = readonly [pattern: RegExp, replacement: string | ((...groups: string[]) => string)]

const rule = (pattern: string, replacement: Rule[1]): Rule => [
  new RegExp(pattern.replaceAll('N', OPERAND), 'gi'),
  replacement,
]
const listed = (name: string) => (_: string, list: string) =>
  `${name}(${list.split(/\s*(?:,\s*and\b|,|\band\b)\s*/).join(', ')})`

const isKnownName = (name: string) => resolveCall(name) !== undefined

/** Phrases into the calculator's notation, in this order. */
const RULES: readonly Rule[] = [
  rule(String.raw`\bper\s?cent\b`, '%'),
  rule(String.raw`\bpercent(?:age)? of\b`, '% of'),
  rule(String.raw`(N)\s+is\s+what\s+%\s+of\s+(N)`, '$1 / $2 * 100'),
  rule(String.raw`what\s+%\s+of\s+(N)\s+is\s+(N)`, '$2 / $1 * 100'),
  rule(String.raw`\b(?:square root|sqrt) of\s+(N)`, 'sqrt($1)'),
  rule(String.raw`\b(?:cube|cubic) root of\s+(N)`, 'cbrt($1)'),
  rule(String.raw`\bsquare root of\s+`, 'sqrt '),
  rule(String.raw`\b(?:the )?(\d+)(?:st|nd|rd|th) root of\s+(N)`, 'nthRoot($2, $1)'),
  rule(String.raw`\bfactorial of\s+(N)|\b(N)\s+factorial\b`, (_, a, b) => `factorial(${a ?? b})`),
  rule(String.raw`\b(?:absolute value|modulus) of\s+(N)`, 'abs($1)'),
  rule(String.raw`\bnatural (?:log|logarithm) of\s+(N)`, 'ln($1)'),
  rule(String.raw`\blog(?:arithm)?(?: to the)? base (\d+) of\s+(N)`, 'log($2, $1)'),
  rule(String.raw`\b(?:log|logarithm) of\s+(N)(?: (?:in|to the|to) base (\d+))`, 'log($1, $2)'),
  rule(
    String.raw`\b(sine|cosine|tangent) of\s+(N)`,
    (_, name = '', of = '') => `${name.toLowerCase().slice(0, 3)}(${of})`,
  ),
  rule(String.raw`\b(sin|cos|tan|ln|log|sqrt|cbrt|abs) of\s+(N)`, '$1($2)'),
  rule(
    String.raw`\b(?:the )?(?:greatest common divisor|gcd|highest common factor) of\s+(N(?:\s*(?:,\s*and|,|and)\s*N)+)`,
    listed('gcd'),
  ),
  rule(
    String.raw`\b(?:the )?(?:least|lowest) common multiple of\s+(N(?:\s*(?:,\s*and|,|and)\s*N)+)`,
    listed('lcm'),
  ),
  rule(String.raw`\b(?:the )?(?:average|mean) of\s+(N(?:\s*(?:,\s*and|,|and)\s*N)+)`, listed('mean')),
  rule(
    String.raw`\b(?:the )?(?:maximum|max|largest|biggest|greatest) of\s+(N(?:\s*(?:,\s*and|,|and)\s*N)+)`,
    listed('max'),
  ),
  rule(
    String.raw`\b(?:the )?(?:minimum|min|smallest|least) of\s+(N(?:\s*(?:,\s*and|,|and)\s*N)+)`,
    listed('min'),
  ),
  rule(
    String.raw`\b(?:the )?sum of\s+(N(?:\s*(?:,\s*and|,|and)\s*N)+)`,
    (_, list = '') => `(${split(list).join(' + ')})`,
  ),
  rule(
    String.raw`\b(?:the )?product of\s+(N(?:\s*(?:,\s*and|,|and)\s*N)+)`,
    (_, list = '') => `(${split(list).join(' * ')})`,
  ),
  rule(String.raw`\b(?:the )?difference (?:between|of)\s+(N)\s+and\s+(N)`, '($1 - $2)'),
  rule(String.raw`\b(?:the )?quotient of\s+(N)\s+and\s+(N)`, '($1 / $2)'),
  rule(String.raw`\b(?:the )?remainder (?:of|when)\s+(N)\s+(?:is )?divided by\s+(N)`, '($1 mod $2)'),
  rule(String.raw`\b(?:add|adding)\s+(N)\s+(?:and|to|plus)\s+(N)`, '($1 + $2)'),
  rule(String.raw`\b(?:subtract|subtracting|take)\s+(N)\s+from\s+(N)`, '($2 - $1)'),
  rule(String.raw`\bmultiply(?:ing)?\s+(N)\s+(?:by|and|with)\s+(N)`, '($1 * $2)'),
  rule(String.raw`\bdivid(?:e|ing)\s+(N)\s+by\s+(N)`, '($1 / $2)'),
  rule(
    String.raw`\brais(?:e|ing)\s+(N)\s+to the (?:power of\s+(N)|(\d+)(?:st|nd|rd|th)(?: power)?)`,
    (_, a, b, c) => `(${a})^${b ?? c}`,
  ),
  rule(String.raw`\b(?:one )?half of\b`, '1/2 *'),
  rule(String.raw`\b(?:a|1) third of\b`, '1/3 *'),
  rule(String.raw`\b(?:a|1|one) quarter of\b`, '1/4 *'),
  rule(String.raw`\b(?:twice|double)\s+(?:of\s+)?`, '2 * '),
  rule(String.raw`\btriple\s+(?:of\s+)?`, '3 * '),
  rule(String.raw`\s+(?:raised )?to the power (?:of )?\s*`, '^'),
  rule(String.raw`\s+(?:raised )?to the (\d+)(?:st|nd|rd|th)(?: power)?`, '^$1'),
  rule(String.raw`\s+squared\b`, '^2'),
  rule(String.raw`\s+cubed\b`, '^3'),
  rule(String.raw`\s+(?:multiplied by|times)\s+`, ' * '),
  rule(String.raw`\s+(?:divided by|over)\s+`, ' / '),
  rule(String.raw`\s+(?:added to|plus)\s+`, ' + '),
  rule(String.raw`\s+(?:minus|less)\s+`, ' - '),
  rule(String.raw`\s+(?:modulo|modulus)\s+`, ' mod '),
  rule(String.raw`\bminus\s+(?=\d)`, '-'),
]

function split(list: string): string[] {
  return list.split(/\s*(?:,\s*and\b|,|\band\b)\s*/)
}

/** "how many feet are there in 3 miles" and its kin: what is asked for, what there is. */
const HOW_MANY =
  /^how (?:many|much)\s+(.+?)\s+(?:are (?:there )?|is |make(?: up)? |does |do )?(?:in|equals?|to)?\s*((?:an?|one|\d[\d.,]*)\s+.+)$/i
const CONVERT = /^(?:convert|change|express|turn)\s+(.+?)\s+(?:to|into|in|as)\s+(.+)$/i

/** The calculator's expression for a question about numbers, or `undefined` where it is none. */
export function readArithmetic(question: string): string | undefined {
  const digits = digitsForWords(question)
  return asConversion(digits) ?? asExpression(digits)
}

function asConversion(text: string): string | undefined {
  const howMany = HOW_MANY.exec(text)
  if (howMany) return conversion(howMany[2]!.replace(/^(?:an?|one)\s/i, '1 '), howMany[1]!)
  const convert = CONVERT.exec(text) ?? /^(.+?)\s+(?:to|into|in|as)\s+([a-zA-Z°/ ]+)$/i.exec(text)
  return convert ? conversion(convert[1]!, convert[2]!) : undefined
}

function conversion(from: string, to: string): string | undefined {
  const amount = /^([-+]?[\d.,\s*/^()+-]*\d[\d.,]*)\s*(.+)$/.exec(from.trim())
  const [given, wanted] = [unitOf(amount?.[2] ?? ''), unitOf(to)]
  return amount && given && wanted ? `${amount[1]!.trim()} ${given} to ${wanted}` : undefined
}

const SCALES: ReadonlyMap<string, string> = new Map([
  ['c', 'degC'],
  ['f', 'degF'],
  ['celsius', 'degC'],
  ['centigrade', 'degC'],
  ['fahrenheit', 'degF'],
  ['kelvin', 'K'],
])

/** The calculator's spelling of a unit: `degrees Fahrenheit`, `kilometers per hour`, `square feet`. */
function unitOf(text: string): string | undefined {
  const words = text.trim().replace(/^(?:degrees?|°)\s*(?=[a-z])/i, '')
  const scale = SCALES.get(words.toLowerCase())
  if (scale) return scale
  const parts = words
    .split(/\s*\/\s*|\s+per\s+/i)
    .map(part => part.replace(/^square\s+(\w+)$/i, '$1^2').replace(/^cubic\s+(\w+)$/i, '$1^3'))
  const names = parts.map(part => part.replace(/[\s_-]+/g, ''))
  const known = names.every(name => isKnownName(name.replace(/\^\d$/, '')))
  return known && names.length <= 2 ? names.join('/') : undefined
}

/** Only what is an expression through and through: anything left over means that the question asks for more. */
function asExpression(text: string): string | undefined {
  const spelled = RULES.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement as string),
    ` ${text} `,
  ).trim()
  const expression = spelled.replace(/(?<=[\d)])\s+x\s+(?=[\d(])/gi, ' * ')
  if (!/\d|\bpi\b|π/.test(expression) || !/^[\d\s.,+\-*/^%()!×÷−·√π°²³$€£=a-zA-Z]+$/.test(expression))
    return undefined
  const names = expression.replace(/\b\d[\d.,]*e[+-]?\d+/gi, '1').match(/[a-zA-Z]+/g) ?? []
  const areKnown = names.every(name => /^(?:of|mod|to|off)$/i.test(name) || isKnownName(name))
  const isOneNumber = /^[-+]?[\d.,]+$/.test(expression)
  return areKnown && !isOneNumber ? expression : undefined
}
