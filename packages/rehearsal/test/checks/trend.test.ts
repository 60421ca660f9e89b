import { Random } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'
import { isRising, trendIn } from '../../checks/parts/trend.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

test('values that rise or fall throughout', () => {
  expect(trendIn(upTo(16))).toBe('certain')
  expect(trendIn(upTo(16).map(value => -3 * value))).toBe('certain')
})

test('those that fall until they are one', () => {
  expect(trendIn([5, 4, 3, 2, ...upTo(12).map(() => 1)])).toBe('certain')
})

test('those of several counters that rise by turns', () => {
  expect(trendIn(upTo(24).map(index => 100 * (index % 4) + 500 * Math.floor(index / 4)))).toBe('certain')
})

test('those that take turns, and rise far', () => {
  const values = [10, 400, 30, 900, 20, 1_500, 700, 1_100, 2_600, 90, 1_900, 3_000, 1_200, 2_800, 3_100, 800]
  expect(trendIn(values)).toBe('certain')
  expect(trendIn(values.map(value => value + 1_000))).toBe('suspicious')
})

test('few of them, or with exceptions, are suspicious at most', () => {
  expect(trendIn([1, 2, 3, 5, 4, 6, 8, 7])).toBe('suspicious')
  expect(trendIn([4, 4, 4, 4, 9, 4, 4, 5])).toBe('none')
  expect(trendIn([2, 2, 2, 2, 3, 3, 3, 3])).toBe('none')
})

test('values by chance are never certain', () => {
  const random = new Random(1)
  const trends = upTo(2_000).map(() => trendIn(upTo(16).map(() => random.whole(10, 30))))
  expect(trends.filter(trend => trend === 'certain')).toEqual([])
  expect(trends.filter(trend => trend === 'suspicious').length).toBeLessThan(60)
})

test('pairs of which the one rises with the other, and pairs by chance', () => {
  const random = new Random(1)
  const drawn = () => upTo(60).map(() => [random.whole(0, 30), random.whole(0, 30)] as const)
  expect(isRising(drawn().map(([one, more]) => [one, 10 * one + more]))).toBe(true)
  expect(isRising(drawn().map(([one]) => [one, -one]))).toBe(false)
  expect(isRising(upTo(60).map(one => [one, 7]))).toBe(false)
  expect(upTo(2_000).filter(() => isRising(drawn()))).toEqual([])
})
