import { expect, test } from 'vitest'
import { readQuestions } from '../../../../graph/model/offline-model/questions.ts'
import { calculator } from '../../../../tools/calculator.ts'

/** The value in the calculator's answer to a question. */
async function answerTo(question: string): Promise<string | undefined> {
  const [asked] = readQuestions(question) ?? []
  const answer: string = await calculator.invoke({ expression: String(asked?.args.expression) })
  return / = (.*)$/m.exec(answer)?.[1]
}

// By hand: the unit belongs to the number, so that 12 in squared as a quantity is 144 square inches.
test.each([
  ['Square 12 in', '144 inch^2'],
  ['the square of 12 inches', '144 inches^2'],
  ['cube 2 m', '8 m^3'],
  ['What is the square of 5 km/h?', '25 km^2/h^2'],
  ['square 5 ft 6 in', '30.25 ft^2'],
  ['square 1/2 in', '0.25 inch^2'],
  ['square 2 1/2', '6.25'],
  ['square 2 1/2 in', '6.25 inch^2'],
  ['half of 12 in', '6 inch'],
  ['half of 12 in in cm', '15.24 cm'],
  ['double 3 kg', '6 kg'],
  ['the square root of 16 m^2', '4 m'],
  ['square root of 144 square inches', '12 inches'],
  ['the 3rd root of 8 m^3', '2 m'],
  ['the reciprocal of 5 s', '0.2 1/s'],
  ['divide 10 by 5 s', '2 1/s'],
  ['sum of 3 in, 4 in and 5 in', '12 inch'],
])('%s is %s', async (question, value) => {
  expect(await answerTo(question)).toBe(value)
})
