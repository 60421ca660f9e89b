import table from './units.json' with { type: 'json' }
import { findUnit, type Unit } from './units.ts'

/** `5 ft 11 inch`, where nothing stands beside it that would take only its first or last part. */
const COMPOUND =
  /(?<!(?:[\w.^)\]!']|\d *\/) *)\d+ *[a-z_]+(?![a-z_])(?: *\d+(?:\.\d+)? *[a-z_]+(?![a-z_]))+(?! *(?:[\d.^'!([]|(?!(?:to|mod)\b)[a-z_]))/gi
const AMOUNT = /(\d+(?:\.\d+)?) *([a-z_]+)/gi

const keyOf = ({ size, prefix }: Unit) => `${size} ${prefix}`
/** Units that are written one after another, from the largest on. */
const FAMILIES = table.compounds.map(names => names.split(' ').map(name => keyOf(findUnit(name)!)))

/** `5 ft 11 inch` is `(5 ft + 11 inch)`, if the units are of one family and go down in it. */
export function withCompounds(text: string): string {
  return text.replace(COMPOUND, typed => {
    const amounts = [...typed.matchAll(AMOUNT)].map(([, number = '', name = ''], index, all) => {
      // After hours, m is no metre.
      const isMinute = name === 'm' && findUnit(all[index - 1]?.[2] ?? '')?.size === '3600'
      return { number, name: isMinute ? 'min' : name }
    })
    const units = amounts.map(({ name }) => findUnit(name))
    const isCompound = FAMILIES.some(family => {
      const places = units.map(unit => (unit ? family.indexOf(keyOf(unit)) : -1))
      return places.every((place, index) => place > (places[index - 1] ?? -1))
    })
    return isCompound ? `(${amounts.map(({ number, name }) => `${number} ${name}`).join(' + ')})` : typed
  })
}
