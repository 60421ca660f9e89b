import { ToolError } from '@agent-task-service/engine/tool'
import { type Arithmetic, Fraction, ONE, type Real, ZERO } from './arithmetic.ts'

const HALF = new Fraction(1, 2)

export const sum = (math: Arithmetic, all: readonly Real[]): Real =>
  all.reduce((left, right) => math.add(left, right))

export const mean = (math: Arithmetic, all: readonly Real[]): Real =>
  math.divide(sum(math, all), new Fraction(all.length))

export const median = (math: Arithmetic, all: readonly Real[]): Real => between(math, all, HALF)

/** The mean squared deviation: of a sample over n - 1, of a population over n. */
export function variance(math: Arithmetic, all: readonly Real[], of: 'sample' | 'population'): Real {
  const [middle, count] = [mean(math, all), all.length - (of === 'sample' ? 1 : 0)]
  const squares = all.map(value => {
    const deviation = math.add(value, middle.neg())
    return math.multiply(deviation, deviation)
  })
  math.notes.add(
    of === 'sample'
      ? 'Of a sample, over n - 1; write stdp or variancep for a whole population.'
      : 'Of a population, over n; write std or variance for a sample.',
  )
  return math.divide(sum(math, squares), new Fraction(count))
}

/** @param all the values, then the share below the quantile, from 0 to 1 */
export function quantile(math: Arithmetic, all: readonly Real[]): Real {
  const [values, share] = [all.slice(0, -1), all.at(-1)!]
  if (math.sign(share) < 0 || math.compare(share, ONE) > 0)
    throw new ToolError('The last number of quantile is the share, from 0 to 1: quantile(a, b, ..., 0.25).')
  math.notes.add('Between two values, the quantile was interpolated, as PERCENTILE.INC of spreadsheets does.')
  return between(math, values, share)
}

/** The value at that share of the way from the smallest to the largest, interpolated. */
function between(math: Arithmetic, all: readonly Real[], share: Real): Real {
  const values = all.toSorted((left, right) => math.compare(left, right))
  const place = math.multiply(share, new Fraction(values.length - 1))
  const below = math.floor(place)
  const at = math.rounded(below).toNumber()
  const [value, next] = [values[at]!, values[at + 1]]
  const rest = math.add(place, below.neg())
  if (!next || math.compare(rest, ZERO) === 0) return value
  return math.add(value, math.multiply(rest, math.add(next, value.neg())))
}
