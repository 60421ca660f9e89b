import { createUnit, unit } from 'mathjs'
import { digits } from './number-words.ts'
import { written } from './sums.ts'

createUnit({ nauticalmile: { definition: '1852 m', aliases: ['nauticalmiles'] } })

/** Names that differ in mathjs, longest first. */
const NAMES: readonly [RegExp, string][] = [
  [/\b(miles per hour|mph)\b/g, 'mile/hour'],
  [/\b(kilomet(er|re)s per hour|km\/h|kmh|kph)\b/g, 'km/hour'],
  [/\bmet(er|re)s per second\b/g, 'm/s'],
  [/\bfeet per second\b/g, 'ft/s'],
  [/\bnautical miles?\b/g, 'nauticalmile'],
  [/(°|degrees? )c(elsius)?\b|\b(celsius|centigrade)\b|^c$|(?<=\d ?)c$/g, 'degC'],
  [/(°|degrees? )f(ahrenheit)?\b|\bfahrenheit\b|^f$|(?<=\d ?)f$/g, 'degF'],
  [/\bkelvins?\b|^k$/g, 'K'],
  [/\bsquare (\w+)/g, '$1^2'],
  [/\bcubic (\w+)/g, '$1^3'],
  [/met(re)(s?)\b/g, 'meter$2'],
  [/litre/g, 'liter'],
  [/\b(mb|gb|tb|kb)\b/g, '$1'],
  [/\bkilos?\b/g, 'kg'],
  [/\bpounds?\b/g, 'lb'],
  [/\bounces?\b/g, 'oz'],
  [/\b(\d+) ?' ?(\d+)"?/g, '$1 ft + $2 in'],
]

const AMOUNT = String.raw`(-?[\d.]+|a|an)`
const SHAPES: readonly { readonly shape: RegExp; readonly order: readonly [number, number, number] }[] = [
  // amount, unit of it, unit wanted
  {
    shape: new RegExp(`^(?:convert |express |turn )?${AMOUNT} ?(\\D.*?) (?:to|in|into|as|is how many) (.+)$`),
    order: [1, 2, 3],
  },
  {
    shape: new RegExp(
      `^how (?:many|much) (.+?) (?:are there in|are in|is in|in|is|are|does|make) ${AMOUNT} ?(\\D.*)$`,
    ),
    order: [2, 3, 1],
  },
]

export function readUnits(question: string): string | undefined {
  const text = digits(question)
  for (const { shape, order } of SHAPES) {
    const parts = shape.exec(text)
    if (parts === null) continue
    const [amount, from, to] = order.map(index => parts[index] ?? '') as [string, string, string]
    const line = convert(/^an?$/.test(amount) ? 1 : Number(amount), nameOf(from), nameOf(to))
    if (line !== undefined) return line
  }
  return undefined
}

function convert(amount: number, from: string, to: string): string | undefined {
  if (!Number.isFinite(amount) || !/^[\w/^ ]+$/.test(`${from}${to}`)) return undefined
  try {
    return `That makes ${written(unit(amount, from).toNumber(to))} ${to}.`
  } catch {
    return undefined
  }
}

function nameOf(words: string): string {
  let name = words.trim()
  for (const [pattern, replacement] of NAMES) name = name.replace(pattern, replacement)
  return name.replace(/^(kb|mb|gb|tb)$/, size => size.toUpperCase())
}
