import {
  AMOUNT,
  CURRENT,
  DATA,
  type Dimensions,
  ENERGY,
  FORCE,
  FREQUENCY,
  LENGTH,
  MASS,
  POWER,
  PRESSURE,
  RESISTANCE,
  TEMPERATURE,
  TIME,
  VOLTAGE,
  VOLUME,
} from './unit-table.ts'

/** Prefixes as `name:multiplier`. */
const SYMBOLS = 'p:1e-12 n:1e-9 u:1e-6 m:1e-3 c:1e-2 d:1e-1 h:1e2 k:1e3 M:1e6 G:1e9 T:1e12 P:1e15'
const WORDS =
  'pico:1e-12 nano:1e-9 micro:1e-6 milli:1e-3 centi:1e-2 deci:1e-1 hecto:1e2 kilo:1e3 mega:1e6 giga:1e9 tera:1e12 peta:1e15'
const BINARY_SYMBOLS = 'Ki:1024 Mi:1048576 Gi:1073741824 Ti:1099511627776 Pi:1125899906842624'
const BINARY_WORDS = 'kibi:1024 mebi:1048576 gibi:1073741824 tebi:1099511627776 pebi:1125899906842624'
const DATA_SYMBOLS = `k:1e3 M:1e6 G:1e9 T:1e12 P:1e15 ${BINARY_SYMBOLS}`
const DATA_WORDS = `kilo:1e3 mega:1e6 giga:1e9 tera:1e12 peta:1e15 ${BINARY_WORDS}`
const ELECTRIC = 'u:1e-6 m:1e-3 k:1e3 M:1e6 G:1e9 T:1e12'

/** Names, dimensions, size in coherent units, the prefixes the names take, and which unit the name means. */
type Row = readonly [names: string, dimensions: Dimensions, size: string, prefixes: string, note?: string]

/** SI values; the symbols take only the prefixes in use, so that a typing error is not taken for a unit. */
export const PREFIXED: readonly Row[] = [
  ['m', LENGTH, '1', SYMBOLS],
  ['meter meters metre metres', LENGTH, '1', WORDS],
  ['g', MASS, '0.001', 'p:1e-12 n:1e-9 u:1e-6 m:1e-3 c:1e-2 d:1e-1 h:1e2 k:1e3'],
  ['gram grams', MASS, '0.001', WORDS],
  ['s sec', TIME, '1', 'p:1e-12 n:1e-9 u:1e-6 m:1e-3'],
  ['second seconds secs', TIME, '1', 'pico:1e-12 nano:1e-9 micro:1e-6 milli:1e-3'],
  ['L l', VOLUME, '0.001', 'u:1e-6 m:1e-3 c:1e-2 d:1e-1 h:1e2 k:1e3'],
  ['liter liters litre litres', VOLUME, '0.001', WORDS],
  ['Hz', FREQUENCY, '1', 'k:1e3 M:1e6 G:1e9 T:1e12'],
  ['hertz', FREQUENCY, '1', WORDS],
  ['N', FORCE, '1', 'm:1e-3 k:1e3 M:1e6'],
  ['newton newtons', FORCE, '1', WORDS],
  ['J', ENERGY, '1', ELECTRIC],
  ['joule joules', ENERGY, '1', WORDS],
  ['Wh', ENERGY, '3600', ELECTRIC],
  ['cal calorie calories', ENERGY, '4.184', 'k:1e3 kilo:1e3', 'cal is 4.184 J; a food calorie is 1 kcal.'],
  ['eV', ENERGY, '1.602176634e-19', 'm:1e-3 k:1e3 M:1e6 G:1e9 T:1e12'],
  ['W', POWER, '1', ELECTRIC],
  ['watt watts', POWER, '1', WORDS],
  ['Pa', PRESSURE, '1', 'h:1e2 k:1e3 M:1e6 G:1e9'],
  ['pascal pascals', PRESSURE, '1', WORDS],
  ['bar', PRESSURE, '100000', 'm:1e-3'],
  ['A', CURRENT, '1', ELECTRIC],
  ['ampere amperes amp amps', CURRENT, '1', WORDS],
  ['V', VOLTAGE, '1', ELECTRIC],
  ['volt volts', VOLTAGE, '1', WORDS],
  ['ohm ohms', RESISTANCE, '1', 'm:1e-3 k:1e3 M:1e6'],
  ['mol', AMOUNT, '1', 'u:1e-6 m:1e-3 k:1e3'],
  ['K kelvin', TEMPERATURE, '1', ''],
  ['bit', DATA, '1', `${DATA_SYMBOLS} ${DATA_WORDS}`],
  ['bits', DATA, '1', `${DATA_SYMBOLS} ${DATA_WORDS}`],
  ['B', DATA, '8', DATA_SYMBOLS],
  ['byte bytes', DATA, '8', DATA_WORDS],
]
