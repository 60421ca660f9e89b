/** Powers of: length, mass, time, temperature, current, angle, data, amount. */
export type Dimensions = readonly number[]

/** Names, dimensions, size in coherent units (`a` or `a/b`), and which of several units the name means. */
type Row = readonly [names: string, dimensions: Dimensions, size: string, note?: string]

export const LENGTH: Dimensions = [1, 0, 0, 0, 0, 0, 0, 0]
export const AREA: Dimensions = [2, 0, 0, 0, 0, 0, 0, 0]
export const VOLUME: Dimensions = [3, 0, 0, 0, 0, 0, 0, 0]
export const MASS: Dimensions = [0, 1, 0, 0, 0, 0, 0, 0]
export const TIME: Dimensions = [0, 0, 1, 0, 0, 0, 0, 0]
export const TEMPERATURE: Dimensions = [0, 0, 0, 1, 0, 0, 0, 0]
export const CURRENT: Dimensions = [0, 0, 0, 0, 1, 0, 0, 0]
export const ANGLE: Dimensions = [0, 0, 0, 0, 0, 1, 0, 0]
export const DATA: Dimensions = [0, 0, 0, 0, 0, 0, 1, 0]
export const AMOUNT: Dimensions = [0, 0, 0, 0, 0, 0, 0, 1]
const SPEED = [1, 0, -1, 0, 0, 0, 0, 0]
export const FREQUENCY: Dimensions = [0, 0, -1, 0, 0, 0, 0, 0]
export const FORCE: Dimensions = [1, 1, -2, 0, 0, 0, 0, 0]
export const ENERGY: Dimensions = [2, 1, -2, 0, 0, 0, 0, 0]
export const POWER: Dimensions = [2, 1, -3, 0, 0, 0, 0, 0]
export const PRESSURE: Dimensions = [-1, 1, -2, 0, 0, 0, 0, 0]
export const VOLTAGE: Dimensions = [2, 1, -3, 0, -1, 0, 0, 0]
export const RESISTANCE: Dimensions = [2, 1, -3, 0, -2, 0, 0, 0]
const RATE = [0, 0, -1, 0, 0, 0, 1, 0]
const NONE = [0, 0, 0, 0, 0, 0, 0, 0]

/** 180 / pi to 64 digits. */
const DEGREES_PER_RADIAN = '57.29577951308232087679815481410517033240547246656432154916024386'

/** SI values, and the definitions of NIST SP 811 and NIST Handbook 44; exact unless pi is involved. */
export const PLAIN: readonly Row[] = [
  ['inch inches', LENGTH, '0.0254'],
  ['ft foot feet', LENGTH, '0.3048'],
  ['yd yard yards', LENGTH, '0.9144'],
  ['mi mile miles', LENGTH, '1609.344'],
  ['nmi nauticalmile nauticalmiles', LENGTH, '1852'],
  ['mil mils', LENGTH, '0.0000254', 'mil is a thousandth of an inch.'],
  ['micron microns', LENGTH, '0.000001'],
  ['angstrom angstroms', LENGTH, '1e-10'],
  ['au', LENGTH, '149597870700'],
  ['ly lightyear lightyears', LENGTH, '9460730472580800'],
  ['ha hectare hectares', AREA, '10000'],
  ['acre acres', AREA, '4046.8564224', 'acre is the international acre (43,560 square feet).'],
  ['sqft', AREA, '0.09290304'],
  ['sqm', AREA, '1'],
  ['gal gallon gallons', VOLUME, '0.003785411784', 'gallon is the US gallon (3.785411784 L).'],
  ['impgal imperialgallon imperialgallons', VOLUME, '0.00454609'],
  ['qt quart quarts', VOLUME, '0.000946352946', 'quart is the US liquid quart (946.352946 mL).'],
  ['pt pint pints', VOLUME, '0.000473176473', 'pint is the US liquid pint (473.176473 mL).'],
  ['cup cups', VOLUME, '0.0002365882365', 'cup is the US customary cup (236.5882365 mL).'],
  [
    'floz fluidounce fluidounces',
    VOLUME,
    '0.0000295735295625',
    'floz is the US fluid ounce (29.5735295625 mL).',
  ],
  [
    'tbsp tablespoon tablespoons',
    VOLUME,
    '0.00001478676478125',
    'tbsp is the US tablespoon (14.78676478125 mL).',
  ],
  ['tsp teaspoon teaspoons', VOLUME, '0.00000492892159375', 'tsp is the US teaspoon (4.92892159375 mL).'],
  ['bbl oilbarrel', VOLUME, '0.158987294928', 'bbl is the oil barrel (42 US gallons).'],
  ['cc', VOLUME, '0.000001'],
  ['lb lbs pound pounds', MASS, '0.45359237'],
  [
    'oz ounce ounces',
    MASS,
    '0.028349523125',
    'oz is the avoirdupois ounce of mass (floz is the fluid ounce).',
  ],
  ['stone stones', MASS, '6.35029318'],
  ['grain grains', MASS, '0.00006479891'],
  ['carat carats', MASS, '0.0002'],
  ['ton tons', MASS, '907.18474', 'ton is the US short ton (2,000 lb); write tonne for 1,000 kg.'],
  ['longton longtons', MASS, '1016.0469088'],
  ['t tonne tonnes', MASS, '1000'],
  ['min minute minutes', TIME, '60'],
  ['h hr hrs hour hours', TIME, '3600'],
  ['day days', TIME, '86400'],
  ['week weeks', TIME, '604800'],
  ['month months', TIME, '2629746', 'month is a twelfth of the Gregorian year (30.436875 days).'],
  ['year years yr yrs', TIME, '31556952', 'year is the average Gregorian year (365.2425 days).'],
  ['decade decades', TIME, '315569520'],
  ['century centuries', TIME, '3155695200'],
  ['deg degree degrees', ANGLE, '1'],
  ['rad radian radians', ANGLE, DEGREES_PER_RADIAN],
  ['grad gradian gradians gon', ANGLE, '0.9'],
  ['turn turns revolution revolutions', ANGLE, '360'],
  ['arcmin arcminute arcminutes', ANGLE, '1/60'],
  ['arcsec arcsecond arcseconds', ANGLE, '1/3600'],
  ['mph', SPEED, '0.44704'],
  ['kph kmh', SPEED, '1/3.6'],
  ['fps', SPEED, '0.3048'],
  ['knot knots kn', SPEED, '1852/3600'],
  ['rpm', FREQUENCY, '1/60'],
  ['lbf', FORCE, '4.4482216152605'],
  ['kgf', FORCE, '9.80665'],
  ['dyn dyne dynes', FORCE, '0.00001'],
  ['btu', ENERGY, '1055.05585262', 'btu is the International Table Btu (1055.05585262 J).'],
  ['erg ergs', ENERGY, '1e-7'],
  ['hp horsepower', POWER, '745.69987158227022', 'hp is the mechanical horsepower (550 ft lbf/s).'],
  ['atm', PRESSURE, '101325'],
  ['psi', PRESSURE, '4.4482216152605/0.00064516'],
  ['torr', PRESSURE, '101325/760'],
  ['mmHg', PRESSURE, '133.322387415'],
  ['bps', RATE, '1'],
  ['kbps', RATE, '1000'],
  ['Mbps', RATE, '1000000'],
  ['Gbps', RATE, '1000000000'],
  ['percent', NONE, '0.01'],
]

/** Temperature scales: kelvin = (value + offset) * size. */
export const SCALES: readonly (readonly [names: string, offset: string, size: string])[] = [
  ['degC celsius', '273.15', '1'],
  ['degF fahrenheit', '459.67', '5/9'],
]

/** Other spellings of names above; a lower-case match is found without being listed. */
export const SPELLINGS: Readonly<Record<string, string>> = {
  '°': 'deg',
  '°C': 'degC',
  '°F': 'degF',
  '°K': 'K',
  C: 'degC',
  F: 'degF',
  centigrade: 'degC',
  KB: 'kB',
  // Bits: without regard to case they would be read as bytes, eight times as much.
  Mb: 'Mbit',
  Gb: 'Gbit',
  Tb: 'Tbit',
  Kbps: 'kbps',
  Ω: 'ohm',
  in: 'inch',
  nautical_miles: 'nmi',
  nautical_mile: 'nmi',
}
