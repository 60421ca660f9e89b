import { readFileSync } from 'node:fs'
import { ToolError } from '@agent-task-service/engine/tool'
import { calculate } from '@agent-task-service/starter/calculator'
import { describe, expect, it, vi } from 'vitest'
import { HOSTILE } from './hostile-expressions.ts'

const loads = vi.hoisted(() => ({ mathjs: 0 }))
vi.mock('mathjs', async original => {
  loads.mathjs++
  return await original()
})

interface Case {
  expression: string
  value?: string
  unit?: string
  digits?: number
  error?: string
}

const CASES: Case[] = JSON.parse(readFileSync(new URL('./data/calculator.json', import.meta.url), 'utf8'))

/** The text, or the message of the ToolError; anything else thrown fails the test. */
async function outcome(expression: string): Promise<string> {
  try {
    return await calculate(expression)
  } catch (error) {
    if (error instanceof ToolError) return `ToolError: ${error.message}`
    throw new Error(`Not a ToolError for ${expression}`, { cause: error })
  }
}

const firstLine = async (expression: string) => (await outcome(expression)).split('\n')[0]

/** Decimal text as a whole number times a power of ten. */
function decimal(text: string): { whole: bigint; power: number } {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)
  if (parts === null) throw new Error(`Not a decimal: ${text}`)
  const [, sign, integer = '', fraction = '', exponent = '0'] = parts
  return { whole: BigInt(`${sign}${integer}${fraction}`), power: Number(exponent) - fraction.length }
}

/** Whether two decimals are equal, or differ by at most one in the given significant digit of the second. */
function agree(printed: string, wanted: string, digits?: number): boolean {
  const [left, right] = [decimal(printed), decimal(wanted)]
  const power = Math.min(left.power, right.power)
  const scaled = (value: typeof left) => value.whole * 10n ** BigInt(value.power - power)
  const [a, b] = [scaled(left), scaled(right)]
  const difference = a > b ? a - b : b - a
  if (digits === undefined) return difference === 0n
  const magnitude = String(b < 0n ? -b : b).length
  return difference * 10n ** BigInt(digits) <= 10n ** BigInt(magnitude)
}

// This must stay the first test of the file.
it('loads mathjs on first use, once', async () => {
  expect(loads.mathjs).toBe(0)
  await Promise.all([calculate('1 + 1'), calculate('2 + 2')])
  expect(loads.mathjs).toBe(1)
})

describe('checked expressions', () => {
  it.each(CASES.filter(one => one.value !== undefined))('$expression', async one => {
    const first = await firstLine(one.expression)
    const result = / ([=≈]) (-?[\d.]+(?:e[+-]?\d+)?)(%| [^=≈]+)?(?: ≈ [^=≈]+)?$/.exec(first!)
    expect(result, first).not.toBeNull()
    const digits = result![1] === '=' ? one.digits : Math.min(one.digits ?? 15, 15)
    expect(agree(result![2]!, one.value!, digits), `${first}, but it is ${one.value}`).toBe(true)
    expect((result![3] ?? '').trim()).toBe(one.unit ?? '')
  })

  it.each(CASES.filter(one => one.error !== undefined))('error of $expression', async one => {
    const text = await outcome(one.expression)
    expect(text).toMatch(/^ToolError: /)
    expect(text.toLowerCase()).toContain(one.error!.toLowerCase())
  })
})

it.each([
  ['15% of 240 =', '15% of 240 = 36'],
  ['100 km/h to mph', '100 km/h to mph ≈ 62.1371192237334 mph'],
  ['2/3*30', '2 / 3 * 30 = 20'],
  ['(1.200 + 300) * 1,19', '(1200 + 300) * 1.19 = 1785'],
  ['1.234,5 + 0,25', '1234.5 + 0.25 = 1234.75'],
  ['1234,567', '1234.567 = 1234.567'],
  ['sqrt(2)^2', 'sqrt(2)^2 ≈ 2'],
  ['6/2(1+2)', '6 / 2 (1 + 2) = 9'],
  ['√16 × 3²', 'sqrt(16) * 3^2 = 36'],
  ['5 ft 11 in to cm', '(5 ft + 11 inch) to cm = 180.34 cm'],
  ['3 3/4 * 2', '(3 + 3 / 4) * 2 = 7.5'],
  ['0.25 to %', '0.25 to percent = 25%'],
  ['52!', '52! = 80658175170943878571660636856403766975289505440883277824000000000000 ≈ 8.0658e67'],
  ['2^90', '2^90 = 1237940039285380274899124224 ≈ 1.2379e27'],
  ['5^1430 - 5^1430 + 2^3321 - 2^3321', '5^1430 - 5^1430 + 2^3321 - 2^3321 = 0'],
  ['10^15 km', '10^15 km = 1000000000000000 km ≈ 1e15 km'],
  ['1000!', '1000! ≈ 4.02387260077094e2567'],
  ['1e-9/2', '1e-9 / 2 = 5e-10'],
  ['(10^100+1)^2 - 10^200 - 2*10^100', '(10^100 + 1)^2 - 10^200 - 2 * 10^100 = 1'],
  ['2 ft - 24 in', '2 ft - 24 inch = 0 ft'],
  ['10 km to nautical miles', '10 km to nautical miles ≈ 5.39956803455724 nautical miles'],
])('the result of %s', async (expression, text) => {
  expect(await firstLine(expression)).toBe(text)
})

it.each([
  ['sin(1)', 'radians'],
  ['240 + 15%', 'of the value before'],
  ['10 % 3', 'remainder'],
  ['10 % -3', 'write mod for the remainder'],
  ['log(100)', 'natural logarithm'],
  ['1 gal to L', 'US gallon'],
  ['$5 * 2', 'currency sign $'],
  ['5 EUR * 2', 'currency sign €'],
  ['0,75 * 4', '0,75 was read as 0.75'],
  ['pi to deg', 'taken as radians'],
  ['max(1,500)', '1,500 was taken as arguments; for one number, write 1500.'],
  ['max(1,5)', '1,5 was taken as arguments; for one number, write 1.5.'],
  ['round(12,5)', '12,5 was taken as arguments'],
  ['log(2,5)', '2,5 was taken as arguments'],
  ['1.234 * 2', '1.234 was read as a decimal: write 1234 for thousands.'],
  ['1.500 + 2.5', '1.500 was read as a decimal: write 1500 for thousands.'],
  ['1,200 * 3', '1,200 was read as 1200.'],
  ['12,345 $', '12,345 was read as 12345.'],
  ['40.000 * 1,19', 'Points were read as thousands, commas as decimals.'],
  ['max(12,34,567)', '12,34,567 was taken as arguments; for one number, write 1234567.'],
  ['10m', 'm is a unit here; write thousand, million or billion for a number.'],
  ['1 billion', 'billion is 1000000000 here.'],
  ['500 kb to MB', 'kb was taken as kilobytes'],
  ['0.87 / 3 kWh', 'Read as (0.87 / 3) kWh; the other reading is 0.87 / (3 kWh).'],
  ['6/2(1+2)', 'Read as (6 / 2) (1 + 2); the other reading is 6 / (2 (1 + 2)).'],
  ['sqrt(4) / 3 kWh', 'Read as sqrt(4) / (3 kWh); the other reading is sqrt(4) / 3 * kWh.'],
  ['-2^2', 'Read as -(2^2); the other reading is (-2)^2.'],
  ['2^3^2', 'Read as 2^(3^2); the other reading is (2^3)^2.'],
  ['180 km / 60 km/h', 'the other reading is 180 km / (60 km/h)'],
  ['8 / 3/4', 'write a / (b/c)'],
  ['6 ÷ 1/2', 'write a / (b/c)'],
  ['3×10⁸ ÷ 500×10⁻⁹', 'write a / (b * 10^c)'],
  ['floor(5 * exp(ln(2)))', 'is 10 in all computed digits'],
  ['std(1, 2, 4)', 'Of a sample, over n - 1; write stdp or variancep for a whole population.'],
  ['stdp(1, 2, 4)', 'Of a population, over n; write std or variance for a sample.'],
  ['quantile(1, 2, 4, 0.3)', 'as PERCENTILE.INC of spreadsheets does'],
])('%s tells how it was read', async (expression, note) => {
  expect((await calculate(expression)).split('\n').slice(1).join('\n')).toContain(note)
})

it.each([
  '1 kcal to kJ',
  '10 km / 5 km',
  '300 mg / (5 mg/mL)',
  'sum(120,135,150,165,180,195,210)',
  'mean([0,1,1,0])',
  'gcd(48,18)',
  '1,200 * 1.5',
  '6.022 * 10^23',
  '0.125 * 8',
])('%s needs no note', async expression => {
  expect(await calculate(expression)).not.toContain('\n')
})

it.each(['€0.125 * 8', '€1,234.500 * 2', '1.2345 EUR * 2', '€12.50 + €2.50', '$1,200 * 3'])(
  '%s has one reading',
  async expression => {
    expect(await calculate(expression)).not.toMatch(/for thousands|was read as/)
  },
)

describe('a list of 1,000 numbers', () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => ((index * 7_919) % 1_000) / 8)
  const list = (name: string, more = '') => `${name}([${numbers.join(', ')}]${more})`

  it.each([
    [list('median'), '= 62.4375'],
    [list('mean'), '= 62.4375'],
    [list('variancep'), '= 1302.08203125'],
    [list('quantile', ', 0.25'), '= 31.21875'],
  ])('%.12s', async (expression, result) => {
    const [first = ''] = (await calculate(expression)).split('\n')
    expect(first.endsWith(` ${result}`), first).toBe(true)
    // The model wrote the list; it need not read it again.
    expect(first.length).toBeLessThan(200)
  })

  it.each([
    `median(${'1, '.repeat(1_100)}1)`,
    `${list('median')} + 1`,
    list('median').replace('62.5', '1e-300'),
    `median(${' '.repeat(19_000)})`,
    `median(${'-'.repeat(19_000)}1)`,
    `median(${'1+'.repeat(9_000)}1)`,
  ])('longer, or of anything else, is refused: %#', async expression => {
    expect(await outcome(expression)).toContain('or one function of at most 1000 plain numbers')
  })
})

describe('digits lost in rounding', () => {
  it.each(['sqrt(2)^2 - 2', '1/3 + 1e-250 - 1/3', 'sin(pi)', 'ln(2) - ln(4)/2'])(
    'leave %s near 0, and it says so',
    async expression => {
      const [first, ...notes] = (await calculate(expression)).split('\n')
      expect(first).toMatch(/ ≈ 0$/)
      expect(notes.join()).toMatch(/lost in rounding|was taken as 0/)
    },
  )

  it.each(['1e60 * sin(pi)', 'tan(90 deg)'])('leave no answer to %s', async expression => {
    expect(await outcome(expression)).toContain('lost in rounding')
  })

  // mpmath 1.3 at 120 digits, such as mp.nstr(log(1 + 1/(3*mpf(10)**18)), 15).
  it.each([
    ['ln(1 + 1/(3*10^18))', '3.33333333333333e-19'],
    ['acos(1-1/(3*10^10))', '0.00000816496580929994'],
    ['cos(pi/2 - 1/(3*10^12))', '3.33333333333333e-13'],
    ['tan(355/226)', '-7497258.18532559'],
    ['exp(1/3e7)^1e9', '299559246914182'],
  ])('leave 15 digits of %s', async (expression, value) => {
    expect((await firstLine(expression))?.split(' ≈ ')[1]).toBe(value)
  })
})

it.each([
  ['hypot(3, 4)', 'Write sqrt(x^2 + y^2)'],
  ['1 furlong to m', 'Unknown name "furlong"'],
  ['Math.round(2.5)', 'Write round(x, places)'],
  ['print(5)', 'Unknown name "print". Functions:'],
  ['2024-12-25', 'Dates are not supported'],
  ['17 // 5', 'floor(a / b)'],
  ['92 is what percent of 640', 'as 92 / 640 to %'],
  ['5 Ms to s', 'Unknown name "Ms"'],
  ['5 NM to km', 'nmi for nautical miles'],
  ['2 thousand 50 / 5', 'an operator is missing'],
  ['mod(10 m, 3 s)', 'Cannot take mod of m and s'],
  ['30 mpg to L/km', 'divide 1 by the value first'],
  ['2h3 min', 'Write + between two amounts: 2 h + 30 min.'],
  ['5 km and 3 kg', 'an operator is missing before 3, as in 5 ft + 3 in'],
  ['std [1, 2]', 'A list stands in the parentheses of a function'],
  ['[[1, 2], [3, 4]]', 'Lists and matrices are not supported here'],
  ['$50K / 12', 'Write out thousand, million or billion'],
])('%s is refused with what to write instead', async (expression, message) => {
  expect(await outcome(expression)).toContain(message)
})

it.each([
  'max(1,5, 2,5)',
  'max(1,5, 2)',
  'max(1, 2,5)',
  'max(1,5 ,2)',
  'sum(1,5, 2,5, 3,5)',
  'mean(12,5, 13,5)',
  'mean([1,5, 2,5])',
  'max(0,5, 0,25)',
  'pow(1,5, 2)',
  'round(0,5)',
  'max([0,25])',
])('%s, where a comma may be a decimal one, is refused', async expression => {
  expect(await outcome(expression)).toContain('for example max(1.5, 2.5)')
})

describe('what nobody would type', () => {
  const LATER = '0.1 + 0.2 + 2^100 + sin(30 deg) + 5 km / (1 m) + pi - e'

  it('is answered with a number or refused, and changes no later result', async () => {
    const before = await calculate(LATER)
    const shared = () => [globalThis, Object.prototype].map(one => Object.getOwnPropertyNames(one)).join()
    const names = shared()
    for (const expression of HOSTILE) {
      const text = await outcome(expression)
      expect(text).toMatch(/^ToolError: |^[^\n]* [=≈] -?\d[\d.e+-]*( [a-z^\d]+)?( ≈ [\d.e]+)?(\n|$)/)
      expect(text).not.toMatch(/native code|\[object|=>|function \(/)
    }
    expect(await calculate(LATER)).toBe(before)
    expect(shared()).toBe(names)
  })

  it.each('a.b|a[1]|a = 1|1; 2|1 ? 2 : 3|f(x) = x|{"a": 1}|1:3|1 < 2 < 3'.split('|'))(
    'has no node in the parser: %s',
    async text => {
      const { parse } = await import('../calculator/parser.ts')
      expect(() => parse(text)).toThrow('This is not arithmetic.')
    },
  )
})

it.each(['7²+', '1/3+', '1%+', '12.5*2+', '2^3-', '5 km+'])('a long sum of %s is answered', async piece => {
  const last = piece.includes('km') ? '5 km' : '1'
  expect(await calculate(piece.repeat(Math.floor(990 / piece.length)) + last)).toMatch(/ [=≈] /)
})
