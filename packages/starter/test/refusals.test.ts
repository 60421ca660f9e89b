import { guardTool } from '@agent-task-service/engine/testing'
import { calculator, createTime } from '@agent-task-service/test-support/agent/tools'
import { describe, expect, test } from 'vitest'
import names from '../calculator/names.json' with { type: 'json' }
import notation from '../calculator/notation.json' with { type: 'json' }
import { FORMS_NOW } from './model-forms.ts'

const tools = { calculator: guardTool(calculator), time: guardTool(createTime(() => FORMS_NOW)) }

/** What the tool says when it refuses. */
async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    answer => new Error(`answered: ${answer}`),
    (error: Error) => error,
  )
  expect(error.name, error.message).toBe('ToolError')
  return error.message
}

/** Numbers for the letters in a form such as `log(x, base)`. */
const LETTERS: Readonly<Record<string, string>> = {
  a: '6',
  b: '4',
  c: '2',
  n: '5',
  k: '2',
  x: '0.5',
  y: '0.2',
  base: '3',
  places: '1',
  share: '0.25',
  angle: '1',
}
const asCall = (form: string) =>
  form
    .replaceAll(', ...', '')
    .replaceAll('...', '2')
    .replace(/[a-z]+/g, word => LETTERS[word] ?? word)

/** Refused expressions, with the forms that their refusals show. */
const EXPRESSIONS: readonly (readonly [expression: string, ...forms: string[]])[] = [
  ['19% of 1.200', '19% of 1200', '19% of 1.2'],
  ['$250.000 - 15%', '$250000 - 15%', '$250 - 15%'],
  ['12.345 € * 2', '12345 € * 2', '12.3450 € * 2'],
  ['1.200 * 0.19', '1200 * 0.19', '1.2 * 0.19'],
  ['max(1.500, 2.750)', 'max(1500, 2750)', 'max(1.5, 2.75)'],
  ['90 grad to rad', '90 deg to rad', '90 gon to rad'],
  ['20 Prozent von 1.234,50', '20 % of 1234.50'],
  ['3 mal 1,5', '3 * 1.5'],
  ['abc', 'sqrt(2)'],
  ['x = 5'],
  ['"text"', '5 ft + 11 in'],
  ['mean of 12, 15, 11, 18 and 20', 'mean(12, 15, 11)'],
  ['5 and 3', '2 h + 30 min'],
  ['std [1, 2]', 'sum([1, 2])'],
  ['\\frac{3}{4} \\times 2', '(3/4)', 'sqrt(2)', 'nthRoot(8, 3)', '2 * 3', '2^3'],
  ['\frac{3}{4} + \times', '(3/4)', 'sqrt(2)', 'nthRoot(8, 3)', '2 * 3', '2^3'],
  ['{a}'],
  ['1; 2'],
  ['1:30', 'a/b', '1 h + 30 min'],
  ['1.000.000', '1,000,000'],
  ['pi.x', '0.5'],
  ['|5|', 'abs(x)'],
  ['infinity'],
  ['0x10', '0 * 3'],
  ['2024-12-25', '12 / 31 / 2024'],
  ['17 // 5', 'floor(a / b)'],
  ['-----------1'],
  ['5!!', '(n!)!'],
  ['½½', '1/2', '2 + 1/2'],
  ['2 & 3'],
  ['1/2%', '(a/b)%', 'a / (b%)'],
  ['$50k / 12'],
  ['$5mm * 2'],
  ['$5 + 3 EUR'],
  ['%5', '15%'],
  ['1,5,2', '1,234.5'],
  ['0,5 + 1.5', '1,234.5'],
  ['max(1,5, 2,5)', 'max(1.5, 2.5)'],
  ['max(1,500, 900)', 'max(1.5, 2.5)'],
  ['max(12,34,567, 5)', 'max(1.5, 2.5)'],
  ['', '15% of 240'],
  ['2 +', '1 + 1/2'],
  ['3 in^2 ft 2', '5 ft + 3 in'],
  ['[1, 2, 3]', 'sum([1, 2, 3])', 'quantile([1, 2, 3], 0.25)'],
  ['5 km to 3', '5 km to miles'],
  ['5 to km', '5 km'],
  ['sin(5 km)', '30 deg'],
  ['(-8)^(1/3)', 'nthRoot(x, n)'],
  ['log(5, 1)', 'log(x, base)'],
  ['quantile(1, 2, 3)', 'quantile(a, b, ..., 0.25)'],
  ['sqrt 4', 'sqrt(x)'],
  ['log()', 'log(x)', 'log(x, base)'],
  ['round()', 'round(x)', 'round(x, places)'],
  ['std(5)', 'std(a, b, ...)'],
  ['quantile()', 'quantile(a, ..., share)'],
  ['C(5)', 'combinations(n, k)'],
  ['permutations()', 'permutations(n)', 'permutations(n, k)'],
  ['mod 3', 'mod(a, b)'],
  ['degrees(pi/3)', '((pi / 3) rad to degrees)'],
  ['sin(radians(30))', '((30) deg to radians)'],
  ['rad(180)', '((180) deg to rad)'],
  ['deg(2 rad)', '((2 rad) to deg)'],
  ['degC(25)', '(25) degC'],
  ['minutes(90)', '(90) minutes'],
  ['pi(2 + 1)', '(2 + 1) pi'],
  ['np.round(2.5)', 'round(x, places)', 'round(2.5)'],
  ['np.std([1, 2, 4])', 'stdp(1, 2, 4)', 'variancep(1, 2, 4)'],
  ['math.sqrt(2)', 'sqrt(2)'],
  ['import math; sqrt(2)', 'sqrt(2)'],
  ['mode(1, 1, 2)'],
  ['92 is what of 640', '92 / 640 to %'],
  ['20% off 150', '150 - 20%'],
  ['x + 1'],
  ['5 NM', 'nm', 'Nm', 'nmi'],
  ['5 k', 'thousand', 'million'],
  ['2 i'],
  ['product(2, 3)', 'a * b * c'],
  ['hypot(3, 4)', 'sqrt(x^2 + y^2)', 'atan(y / x)'],
  ['sinh(1)', '(e^x - e^(-x)) / 2'],
  ['acosh(1)', 'ln(x + sqrt(x^2 + 1))', 'ln((1 + x) / (1 - x)) / 2'],
  ['sign(3)'],
  ['5 CHF'],
  ['percentile(1, 2)', 'quantile(a, b, ..., 0.25)'],
]

describe('a refusal of the calculator shows forms that it accepts', () => {
  test.each(EXPRESSIONS)('%s', async (expression, ...forms) => {
    const said = await refusalOf(tools.calculator.invoke({ expression }))
    let rest = said.replace(/^Syntax error at ".*?": |^Unknown name ".*?"\. |^Syntax error: .*?(?:: |$)/, '')
    for (const form of forms) {
      expect(said).toContain(form)
      rest = rest.replaceAll(form, '')
      expect(await tools.calculator.invoke({ expression: asCall(form) }), form).toMatch(/ [=≈] /)
    }
    // No other form is left in it: no operation, no call.
    expect(rest).not.toMatch(/\d *[-*/^]|[-*/^] *\d|\w\(/)
  })

  test('all that the tables say is among them', async () => {
    const said = await Promise.all(
      EXPRESSIONS.map(([expression]) => refusalOf(tools.calculator.invoke({ expression }))),
    )
    const texts = [notation.refused, names.hints].flatMap(table => Object.values(table))
    for (const text of texts) expect(said.join('\n')).toContain(text)
  })

  test.each([
    ['8 oz to mL', 'floz is the fluid ounce', '8 floz to mL'],
    ['30 mpg to L/km', 'divide 1 by the value first', '1 / (30 mpg) to L/km'],
    ['sqrt(9 m^2)', 'divide by m^2 first', 'sqrt(9 m^2 / (1 m^2))'],
    ['20 degC + 5 degC', 'Use bare numbers or K', '20 K + 5 K'],
    ['$50k / 12', 'Write out thousand', '$50 thousand / 12'],
    ['5 CHF * 2', 'give bare numbers', '5 * 2'],
    ['(5 km)^0.5', 'whole powers', '(5 km)^2'],
    ['1e9999', 'exponents go up to 5,000', '1e5000 / 1e4999'],
  ])('%s: %s', async (refused, says, expression) => {
    expect(await refusalOf(tools.calculator.invoke({ expression: refused }))).toContain(says)
    expect(await tools.calculator.invoke({ expression })).toMatch(/ [=≈] /)
  })
})

type Args = Readonly<Record<string, unknown>>

/** The calls that a refusal of the time tool shows: whole ones, members, and texts in place of the one that was not read. */
function callsIn(said: string, args: Args, member?: string): Args[] {
  const whole = said.match(/\{"operation".*?\}/g) ?? []
  const [, members] = /write ((?:"\w+": (?:"[^"]*"|\[[^\]]*\])(?:, )?)+)/.exec(said) ?? []
  const [, list = ''] = /(?:[Ww]rite|such as)(?: it as)? (?!\{|"\w+":)(.*?)\.?$/.exec(said) ?? []
  const texts =
    member === undefined
      ? []
      : list.matchAll(
          /"([^"]+)"|\(([^)]+)\)|(?<![\w"(;])(?!or |it |an? )(\w[\w:+-]*(?: \d+)?)(?=,|\.|$| or )/g,
        )
  return [
    ...whole.map(call => JSON.parse(call)),
    ...(members ? [{ ...args, ...JSON.parse(`{${members}}`) }] : []),
    ...[...texts].flatMap(([, quoted, inner, bare = '']) =>
      (inner?.split('; ') ?? [quoted ?? bare]).map(text => ({ ...args, [member!]: text })),
    ),
  ]
}

const convert = (time: string) => ({ operation: 'convert', time, zone: 'London' })
const add = (duration: string) => ({ operation: 'add', time: '2026-03-01', duration })

describe('a refusal of the time tool shows calls that it accepts', () => {
  test.each<[args: Args, calls: number, member?: string]>([
    [{ operation: 'subtract', time: 'now', duration: '1 day' }, 4],
    [{ time: 'now' }, 4],
    [{ operation: 'now', zone: 'London, Tokyo' }, 1],
    [{ operation: 'now', zone: 'New York and Zurich' }, 1],
    [{ operation: 'now', zone: 'London/Tokyo' }, 1],
    [{ operation: 'convert', time: '15:00', zone: 'Asia/Tokyo to Europe/London' }, 1],
    [{ operation: 'now', to_zones: ['London; Tokyo', 'Paris & Berlin'] }, 1],
    [{ operation: 'convert', time: '15:00', zone: 'London, UTC+5, ET' }, 1],
    [{ operation: 'convert', time: '15:00', zone: 'London | Asia/Tokyo', to_zones: ['Paris'] }, 1],
    [{ operation: 'add', time: 'now', duration: '1 day', zone: 'London, Tokyo' }, 1],
    [{ operation: 'difference', time: 'now', end: '2026-12-24', zone: 'London, Tokyo' }, 1],
    [
      { operation: 'difference', time: '9am in Berlin', end: '6pm in San Francisco on 2 February 2027' },
      1,
      'time',
    ],
    [{ operation: 'add', time: '2026-12-23', days: '5', unit: 'business days' }, 1],
    [{ operation: 'difference', time: 'now' }, 1],
    [add('3 days ago'), 7, 'duration'],
    [add('3M'), 2, 'duration'],
    [add('soon'), 7, 'duration'],
    [convert('soon'), 6, 'time'],
    [convert('12.08.2026'), 2, 'time'],
    [convert('3/4/2026'), 2, 'time'],
    [convert('last Monday'), 2, 'time'],
    [convert('Easter Monday'), 6, 'time'],
    [{ operation: 'now', zone: 'Xyzland' }, 4, 'zone'],
    [{ operation: 'now', zone: 'Paris, Texas' }, 4, 'zone'],
    [{ operation: 'convert', time: '15:00', to_zones: ['Tokyo'] }, 1, 'zone'],
  ])('%j', async (args, count, member) => {
    const said = await refusalOf(tools.time.invoke(args))
    const calls = callsIn(said, args, member)
    expect(calls, said).toHaveLength(count)
    for (const call of calls) expect(await tools.time.invoke(call), JSON.stringify(call)).toBeTypeOf('string')
  })
})
