/**
 * Units by what they measure, in metres, kilograms, seconds, kelvins, amperes, degrees, bits and moles: SI values and the
 * definitions of NIST SP 811 and NIST Handbook 44. `names = size "note"`, where a size is a number, a quotient, or other
 * units; a temperature scale adds an offset first. A name takes the prefixes after `:` as letters, those after `~` as words.
 */
export const UNITS = `
m | m:pnumcdhkMGTP = 1; meter~pnumcdhkMGTP metre~pnumcdhkMGTP = 1; inch inches = 0.0254; ft foot feet = 0.3048
m | yd yard = 0.9144; mi mile = 1609.344; nmi nauticalmile nautical_mile = 1852; micron = 0.000001; angstrom = 1e-10
m | au = 149597870700; ly lightyear light_year = 9460730472580800; parsec pc = 96939420213600000/pi; furlong = 201.168
m | light_second = 299792458; light_minute = 17987547480; light_hour = 1079252848800
m | fathom = 1.8288; league = 4828.032; rod = 5.0292; mil thou = 0.0000254 "mil is a thousandth of an inch."
m2 | ha hectare = 10000; sqft = 0.09290304; sqm = 1
m2 | acre = 4046.8564224 "acre is the international acre (43,560 square feet)."
m3 | L:umcdhk l:umcdhk = 0.001; liter~pnumcdhkMGTP litre~pnumcdhkMGTP = 0.001; cc = 0.000001
m3 | impgal imperial_gal imperial_gallon = 0.00454609; imperial_quart = 0.0011365225; imperial_pint = 0.00056826125
m3 | imperial_cup = 0.000284130625; imperial_floz imperial_fl_oz imperial_fluid_ounce = 0.0000284130625
m3 | gal gallon = 0.003785411784 "gallon is the US gallon (3.785411784 L)."
m3 | qt quart = 0.000946352946 "quart is the US liquid quart (946.352946 mL)."
m3 | pt pint = 0.000473176473 "pint is the US liquid pint (473.176473 mL)."
m3 | cup = 0.0002365882365 "cup is the US customary cup (236.5882365 mL)."
m3 | floz fl_oz fluid_oz fluidounce fluid_ounce = 0.0000295735295625 "floz is the US fluid ounce (29.5735295625 mL)."
m3 | tbsp tablespoon = 0.00001478676478125 "tbsp is the US tablespoon (14.78676478125 mL)."
m3 | tsp teaspoon = 0.00000492892159375 "tsp is the US teaspoon (4.92892159375 mL)."
m3 | bbl barrel oilbarrel oil_barrel = 0.158987294928 "bbl is the oil barrel (42 US gallons)."
m3 | bushel = 0.03523907016688 "bushel is the US bushel (2,150.42 cubic inches)."; gill = 0.00011829411825 "gill is the US gill."
kg | g:pnumcdhk = 0.001; gram~pnumcdhkMGTP = 0.001; lb lbs pound lbm = 0.45359237; stone st = 6.35029318
kg | grain = 0.00006479891; carat = 0.0002; longton long_ton = 1016.0469088; t tonne metric_ton = 1000
kg | troyounce troy_ounce troy_oz ozt = 0.0311034768; quintal = 100; dalton amu = 1.66053906892e-27
kg | cwt hundredweight = 45.359237 "cwt is the US hundredweight (100 lb)."
kg | oz ounce = 0.028349523125 "oz is the avoirdupois ounce of mass (floz is the fluid ounce)."
kg | ton short_ton = 907.18474 "ton is the US short ton (2,000 lb); write tonne for 1,000 kg."
s | s:pnum sec = 1; second~pnum = 1; min minute = 60; h hr hrs hour = 3600; day = 86400; week = 604800; fortnight = 1209600
s | decade = 315569520; century centuries = 3155695200; millennium millennia = 31556952000
s | month = 2629746 "month is a twelfth of the Gregorian year (30.436875 days)."
s | year yr = 31556952 "year is the average Gregorian year (365.2425 days)."
deg | deg degree = 1; rad radian = 180/pi; grad gradian gon = 0.9; turn rev revolution = 360
deg | arcmin arcminute = 1/60; arcsec arcsecond = 1/3600
m s-1 | mph = miles/h; kph kmh = km/h; fps = ft/s; knot kn = nmi/h
m-2 | mpg = miles/gal "mpg is miles per US gallon."
m2 | L_per_100km = 1e-8
s-1 | Hz:kMGT = 1; hertz~pnumcdhkMGTP = 1; rpm = 1/60
m kg s-2 | N:mkM = 1; newton~pnumcdhkMGTP = 1; lbf:k pound_force = 4.4482216152605; kgf kilogram_force = 9.80665; dyn dyne = 0.00001
kg | slug = lbf*s2/ft
m kg s-2 | poundal = 0.138254954376
m2 kg s-2 | J:umkMGT = 1; joule~pnumcdhkMGTP = 1; Wh:umkMGT = 3600; eV:mkMGT = 1.602176634e-19; erg = 1e-7
m2 kg s-2 | cal:k~k calorie:k~k = 4.184 "cal is 4.184 J; a food calorie is 1 kcal."
m2 kg s-2 | therm = 105505585.262; btu = 1055.05585262 "btu is the International Table Btu (1055.05585262 J)."
m2 kg s-3 | W:umkMGT = 1; watt~pnumcdhkMGTP = 1; PS metric_hp metric_horsepower = 735.49875 "PS is the metric horsepower (75 kgf m/s)."
m2 kg s-3 | hp horsepower = 745.69987158227022 "hp is the mechanical horsepower (550 ft lbf/s)."
m-1 kg s-2 | Pa:hkMG = 1; pascal~pnumcdhkMGTP = 1; bar:m~m = 100000; atm = 101325; psi = lbf/inch2; torr = 101325/760
m-1 kg s-2 | mmHg = 133.322387415; inHg = 3386.388640341; cmH2O = 98.0665; ksi = klbf/inch2
A | A:umkMGT = 1; ampere~pnumcdhkMGTP = 1; amp~pnumcdhkMGTP = 1
m2 kg s-3 A-1 | V:umkMGT = 1; volt~pnumcdhkMGTP = 1
m2 kg s-3 A-2 | ohm:mkM = 1
s A | coulomb~mu = 1; Ah:m = 3600
kg s-2 A-1 | tesla~mu = 1; gauss~mk = 0.0001
m-2 kg-1 s4 A2 | farad~pnum = 1; pF = 1e-12; nF = 1e-9; uF = 1e-6
m2 kg s-2 A-2 | henry~num = 1
mol | mol:umk = 1
K | K kelvin = 1; rankine degR = 5/9; degC celsius centigrade = 1+273.15; degF fahrenheit = 5/9+459.67
bit | bit:kMGTPi~kMGTPi = 1; B:kMGTPEi = 8; byte~kMGTPEi = 8; nibble = 4
bit s-1 | bps = bit/s; kbps = kbit/s; Mbps = Mbit/s; Gbps = Gbit/s
 | percent = 0.01; ppm = 1e-6; ppb = 1e-9
`

/** Letters and words of the prefixes; `i` among a name's prefixes adds the binary ones. */
export const PREFIXES = `
p pico 1e-12, n nano 1e-9, u micro 1e-6, m milli 1e-3, c centi 1e-2, d deci 1e-1, h hecto 1e2, k kilo 1e3, M mega 1e6,
G giga 1e9, T tera 1e12, P peta 1e15, E exa 1e18, Ki kibi 1024, Mi mebi 1048576, Gi gibi 1073741824, Ti tebi 1099511627776,
Pi pebi 1125899906842624, Ei exbi 1152921504606846976
`

/** Other spellings; a match in other letter case is found without being listed. Mb: bits, or it would be megabytes. */
export const SPELLINGS =
  '° deg, °C degC, °F degF, °K K, °R rankine, C degC, F degF, KB kB, Mb Mbit, Gb Gbit, Tb Tbit, Kbps kbps, Ω ohm, in inch'
