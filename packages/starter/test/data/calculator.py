"""Writes calculator.json: expressions with the value each must have, or the error it must give.

The expected values do not come from the calculator. They are computed here with Python's fractions
(exact rationals), decimal (60 digits) and math (doubles), and with the defining conversion factors of
the SI Brochure (9th edition), NIST SP 811 and NIST Handbook 44, written out below. Each line states the
calculator's expression as text and, separately, what it must be as Python.

Run: python3 packages/starter/test/data/calculator.py > packages/starter/test/data/calculator.json

A case is {"expression", "value", "unit"?, "digits"?} or {"expression", "error"}. `value` is decimal text. Without
`digits` the calculator must print exactly that value; with `digits` it must agree to that many significant
digits. `error` is a piece of text (in any letter case) that the message must contain.
"""

import json
import math
import statistics
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
CASES = []


def text(value):
    """A number as plain decimal text: exact for terminating fractions, else to 50 digits."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Fraction):
        value = Decimal(value.numerator) / Decimal(value.denominator)
    return str(value)


def exact(expression, value, unit=None):
    """The printed value must be this rational, digit for digit."""
    value = Fraction(value)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    assert rest == 1, f"{expression}: {value} has no finite decimal"
    getcontext().prec = 6000
    case = {"expression": expression, "value": text(value)}
    getcontext().prec = 60
    if unit:
        case["unit"] = unit
    CASES.append(case)


def near(expression, value, digits=14, unit=None):
    """The printed value must agree with this one to so many significant digits."""
    case = {"expression": expression, "value": text(value), "digits": digits}
    if unit:
        case["unit"] = unit
    CASES.append(case)


def error(expression, says):
    CASES.append({"expression": expression, "error": says})


F = Fraction
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
E = Decimal(1).exp()

# ---------------------------------------------------------------- exact decimals and integers
exact("0.1+0.2", F(1, 10) + F(2, 10))
exact("1/8", F(1, 8))
exact("1/3*3", 1)
exact("1/3 + 1/3 + 1/3 - 1", 0)
exact("2^10", 2**10)
exact("9007199254740993 + 0", 2**53 + 1)
exact("(2^61 - 1) * (2^31 - 1)", (2**61 - 1) * (2**31 - 1))
exact("1.5e-3 * 2", F(3, 1000))
exact("1e40 + 1 - 1e40", 1)
exact("0.1^20", F(1, 10**20))
exact("1e4000 / 1e3999", 10)
near("1000*(1+0.05/12)^120", 1000 * (1 + F(5, 1200)) ** 120, 20)

# ---------------------------------------------------------------- precedence, signs, grouping
exact("2 + 3 * 4", 14)
exact("10 - 4 - 3", 3)
exact("100 / 10 / 2", 5)
exact("2^3^2", 2**9)
exact("-2^2", -4)
exact("((((((1 + 2))))))", 3)
exact("(1+2)(3+4)", 21)
exact("6/2(1+2)", 9)
exact("5!", 120)
exact("2^3!", 64)
exact("(3!)!", 720)
exact("8!/(3!*5!)", 56)
exact("1000!/999!", 1000)

# ---------------------------------------------------------------- percent
exact("15%", F(15, 100))
exact("15% of 240", F(15, 100) * 240)
exact("240 + 15%", F(240) * F(115, 100))
exact("36 / 15%", 240)
exact("0.5% of 1,000,000", 5000)
exact("100 - 10% + 5", 95)
exact("240 + (10% + 5%)", 276)
exact("240 + (10% + 5)", F(2451, 10))
exact("240 - round(57%)", 239)
exact("15 percent of 240", 36)
exact("half of 250", 125)
exact("100 modulo 7", 2)
exact("17 modulo (5)", 2)
exact("15% of (240 + 60)", 45)
exact("1/4 of 200", 50)
exact("50%^2", F(1, 4))
exact("$1,200.50 + 10%", F(132055, 100))
exact("0.25 to %", 25, "%")
exact("3/8 in percent", F(375, 10), "%")

# ---------------------------------------------------------------- what people type
exact("3 × 4", 12)
exact("2**10", 1024)
exact("1,234,567 + 1", 1234568)
error("sum(1,000, 2)", "a comma here may separate decimals or arguments")
exact("sqrt(1,024)", 32)
exact("abs(-1,234.5)", F(12345, 10))
exact("max((1,234), 5)", 1234)
exact("€99.95 - €9.95", 90)
exact("2 + 2 = ?", 4)
exact("What is 2 + 2?", 4)
exact("calculate 7*6", 42)
exact("5²", 25)
exact("10⁻³", F(1, 1000))
exact("√16", 4)
exact("√(9 + 16)", 5)
exact("5 x 3", 15)
exact("（１＋２）×３", 9)
exact("7 plus 3 minus 2", 8)
exact("  1\t+\u00a01  ", 2)
exact("SQRT(16) + Abs(-2)", 6)
near("2π", 2 * PI, 20)

# ---------------------------------------------------------------- constants
near("4/3 * pi * 6371^3", Decimal(4) / 3 * PI * 6371**3, 18)

# ---------------------------------------------------------------- rounding and parts
exact("round(2.5)", 3)
exact("round(2.675, 2)", F(268, 100))
exact("round(10/3, 3)", F(3333, 1000))
exact("floor(2.7)", 2)
exact("trunc(-2.7)", -2)
exact("floor(sin(30 deg) * 2)", 1)
exact("floor(log(8)/log(2))", 3)

# ---------------------------------------------------------------- powers, roots, logarithms
exact("cbrt(27)", 3)
exact("nthRoot(32, 5)", 2)
exact("4^0.5", 2)
exact("ln(1)", 0)
exact("ln(e^5)", 5)

# ---------------------------------------------------------------- trigonometry
for degrees in (0, 30, 17):
    sine = {0: 0, 30: 0.5}.get(degrees)
    cosine = {0: 1}.get(degrees)
    if sine is not None:
        exact(f"sin({degrees} deg)", F(sine))
    else:
        near(f"sin({degrees} deg)", math.sin(math.radians(degrees)), 13)
    if cosine is not None:
        exact(f"cos({degrees} deg)", F(cosine))
    else:
        near(f"cos({degrees} deg)", math.cos(math.radians(degrees)), 13)
exact("tan(45 deg)", 1)
exact("sin(90°)", 1)
exact("sin(pi)", 0)
exact("sin(1)^2 + cos(1)^2", 1)
exact("sin(100 gon)", 1)
exact("cos(0.5 turn)", -1)
for x in (1, -100):
    near(f"sin({x})", math.sin(x), 13)
    near(f"cos({x})", math.cos(x), 13)
near("sin(1 rad)", math.sin(1), 13)
near("acos(0.5)", math.acos(0.5), 13)
near("atan(1)", math.atan(1), 14)
exact("asin(0.5) to deg", 30, "deg")

# ---------------------------------------------------------------- whole numbers and lists
exact("gcd(12, 18)", math.gcd(12, 18))
exact("gcd(2^100, 6^50)", math.gcd(2**100, 6**50))
exact("lcm(4, 6)", 12)
exact("mod(10, 3)", 1)
exact("-7 mod 3", 2)
exact("5.5 mod 2", F(3, 2))
exact("10^50 mod 0.3000000000000000000000000000000000000007", F(10**50) % F("0.3000000000000000000000000000000000000007"))
exact("combinations(52, 5)", math.comb(52, 5))
exact("nCr(10, 3)", math.comb(10, 3))
exact("combinations(2000, 1000)", math.comb(2000, 1000))
exact("2^3321", 2**3321)
exact("permutations(10, 3)", math.perm(10, 3))
exact("mean(1, 2, 3, 4)", F(5, 2))
exact("mean([1, 2, 3, 4])", F(5, 2))
exact("median(3, 1, 2)", statistics.median([3, 1, 2]))
exact("median([7, 1, 1.5, 2])", F(7, 4))
exact("median(1 km, 500 m, 3 km)", 1, "km")
exact("variance([2, 4, 4, 4, 5, 5, 7, 9, 5])", statistics.variance(map(F, [2, 4, 4, 4, 5, 5, 7, 9, 5])))
near("variance(1, 2, 3, 4)", statistics.variance(map(F, [1, 2, 3, 4])))
exact("var(0.1, 0.2, 0.3)", F(1, 100))
exact("variancep(1, 2, 3, 4)", statistics.pvariance(map(F, [1, 2, 3, 4])))
exact("std(1, 2, 3)", 1)
near("stdev([2, 4, 4, 4, 5, 5, 7, 9])", statistics.stdev([2, 4, 4, 4, 5, 5, 7, 9]))
exact("stdp(2, 4, 4, 4, 5, 5, 7, 9)", 2)
near("std(1e12 + 1, 1e12 + 2, 1e12 + 4)", statistics.stdev(map(F, [1, 2, 4])))
near("std(1 m, 2 m)", statistics.stdev([1, 2]), unit="m")
for share, index in [("0", 0), ("0.25", 1), ("0.5", 2), ("0.9", F(18, 5)), ("1", 4)]:
    values = [F(3), F(10), F(15), F(40), F(41)]
    at = int(index)
    rest = index - at
    value = values[at] + (rest * (values[at + 1] - values[at]) if rest else 0)
    exact(f"quantile([15, 3, 41, 10, 40], {share})", value)
assert statistics.quantiles([3, 10, 15, 40, 41], n=4, method="inclusive") == [10, 15, 40]
error("quantile(1, 2, 3)", "from 0 to 1")
error("std(5)", "write std(a, b, ...)")
error("variance(1 m, 2 m)", "without a unit")
error("percentile(1, 2, 3, 0.5)", "write quantile(")
error("median([1, 2], [3])", "Lists and matrices")
exact("sqrt(mean(1, 49, 25))", 5)

# ---------------------------------------------------------------- units: factors to m, kg, s, m^3, J, Pa, W, bit
INCH = F(254, 10000)
FOOT = 12 * INCH
YARD = 3 * FOOT
MILE = 1760 * YARD
NAUTICAL_MILE = F(1852)
POUND = F(45359237, 100000000)
OUNCE = POUND / 16
GALLON = 231 * INCH**3
IMPERIAL_GALLON = F(454609, 10**8)
ACRE = 43560 * FOOT**2
GRAVITY = F(980665, 100000)
POUND_FORCE = POUND * GRAVITY
LITRE = F(1, 1000)
HOUR = F(3600)
CALORIE = F(4184, 1000)
BTU = F("1055.05585262")
LIGHT_YEAR = F(299792458) * F(36525, 100) * 86400


def convert(expression, value, target):
    """Exact when the decimal ends within 64 digits, otherwise 15 digits."""
    value = F(value)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and len(text(value).replace(".", "")) < 50:
        exact(expression, value, target)
    else:
        near(expression, value, 15, target)


convert("5 km to miles", 5000 / MILE, "miles")
convert("3 hours in minutes", F(180), "minutes")
convert("100 km/h to mph", F(100000) / HOUR / (MILE / HOUR), "mph")
convert("6 ft to cm", 6 * FOOT * 100, "cm")
convert("1 nmi to km", NAUTICAL_MILE / 1000, "km")
convert("1 ly to km", LIGHT_YEAR / 1000, "km")
convert("10 kg to lb", 10 / POUND, "lb")
convert("8 oz to g", 8 * OUNCE * 1000, "g")
convert("1 ton to kg", 2000 * POUND, "kg")
convert("1 gal to L", GALLON / LITRE, "L")
convert("2 cups to mL", 2 * GALLON / 16 / LITRE * 1000, "mL")
convert("16 floz to mL", 16 * GALLON / 128 / LITRE * 1000, "mL")
convert("1 quart to pints", F(2), "pints")
convert("1 acre to m^2", ACRE, "m^2")
convert("100 sqft to m^2", 100 * FOOT**2, "m^2")
convert("1 day to seconds", F(86400), "seconds")
convert("2 years to days", F(730485, 1000), "days")
convert("round(98.6 degF to degC, 1)", F(37), "degC")
convert("72 degF to degC", (F(72) - 32) * F(5, 9), "degC")
convert("25 °C to °F", F(77), "degF")
convert("98.6 F to C", F(37), "degC")
convert("32 fahrenheit to celsius", F(0), "celsius")
convert("1 kWh to J", F(3600000), "J")
convert("1 kcal to kJ", CALORIE, "kJ")
convert("1 hp to W", 550 * FOOT * POUND_FORCE, "W")
convert("30 psi to kPa", 30 * POUND_FORCE / INCH**2 / 1000, "kPa")
convert("1 bar to atm", F(100000, 101325), "atm")
convert("10 lbf to N", 10 * POUND_FORCE, "N")
convert("1 GiB to MB", F(2**30, 10**6), "MB")
convert("1 TB to GiB", F(10**12, 2**30), "GiB")
convert("100 Mbps to MB/s", F(25, 2), "MB/s")
near("180 deg to rad", PI, 15, "rad")
near("pi/3 to deg", 60, 15, "deg")
convert("12 V * 2 A to W", F(24), "W")
convert("1 mile - 1 km", 1 - 1000 / MILE, "mile")
exact("10 km / 5 km", 2)
exact("20 kg / 4 kg", 5)

# ---------------------------------------------------------------- digits that cancel, and long whole numbers
exact("(10^70 + 1) - 10^70", (10**70 + 1) - 10**70)
exact("10^100 + 1/3 - 10^100 - 1/3", 0)

# ---------------------------------------------------------------- more of what people type
exact("1\u00a0234\u00a0567 + 1", 1234568)
exact("1e5x3", 300000)
exact("1 dozen", 12)
exact("2.5 million + 1", 2500001)
exact("15% of 2 million", 300000)
exact("log_10(100)", 2)
exact("C(6, 2) / C(4, 2)", F(math.comb(6, 2), math.comb(4, 2)))
exact("5 per cent of 240", 12)
near("cos(720.5 deg)", math.cos(math.radians(0.5)), 13)

# ---------------------------------------------------------------- more units
POUNDAL = POUND * FOOT
FLUID_OUNCE = GALLON / 128
convert("8 fl oz to mL", 8 * FLUID_OUNCE / LITRE * 1000, "mL")
error("8 oz to mL", "floz")
convert("100 sq ft to m2", 100 * FOOT**2, "m^2")
convert("10 cubic feet to L", 10 * FOOT**3 / LITRE, "L")
convert("1 cubic meter to cubic feet", 1 / FOOT**3, "feet^3")
convert("30 mpg to km/L", 30 * MILE / 1000 / (GALLON / LITRE), "km/L")
convert("1 light year to km", LIGHT_YEAR / 1000, "km")
convert("10 nautical miles to km", 10 * NAUTICAL_MILE / 1000, "km")
convert("60 mph * 2.5 hours as miles", F(150), "miles")
convert("5 km -> miles", 5000 / MILE, "miles")

# ---------------------------------------------------------------- spellings of numbers and units that people also use
exact("1'000'000 / 4", 250000)
exact("1_000_000 + 1", 1000001)
exact("max(2'500, 900)", 2500)
exact("10 divided by 4", F(5, 2))
exact("2 multiplied by 3 squared", 18)
convert("3 meters squared to ft2", 3 / FOOT**2, "ft^2")
convert("500 °R to K", 500 * F(5, 9), "K")
convert("1 barrel to gal", F(42), "gal")
convert("5 V * 2000 mAh to Wh", F(10), "Wh")
convert("50 ppm to percent", F(5, 1000), "%")

# ---------------------------------------------------------------- errors
error("", "empty")
error("   ", "empty")
error("1" * 1001, "1001 characters")
error("1/0", "division by zero")
error("sqrt(-1)", "not real")
error("(-8)^(1/3)", "cbrt")
error("log(0)", "above 0")
error("ln(-1)", "above 0")
error("log(5, 1)", "base")
error("asin(2)", "not a real")
error("tan(90 deg)", "lost in rounding")
error("9^9^9^9", "overflow")
error("10^-6000", "underflow")
error("1e9999999", "exponents")
error("999999!", "0 to 1000")
error("(-1)!", "whole number")
error("combinations(1e9, 5e8)", "0 to 1000")
error("gcd(1.5, 3)", "whole number")
error("sin(1e20)", "1e15")
error("foo + 1", 'unknown name "foo"')
error("sqr(4)", "sqrt")
error("x + 1", "variables")
error("constructor", "unknown name")
error("import(1)", "unknown name")
error("Infinity", "infinity")
error("5 USD to EUR", "exchange rates")
error("$5 + €5", "exchange rates")
error("20% off 150", "150 - 20%")
error("2 +", "at the end: a value")
error("* 3", 'syntax error at "* 3"')
error("(1 + 2", "parenthesis")
error("1 + 2)", 'at ")": a value, an operator (as in 1 + 1/2) or a parenthesis')
error("3 4", "operator (as in 1 + 1/2)")
error("1,5,2", "comma")
error("(1,5 + 2) * 3", "write decimals with a point")
error("sqrt(2,25)", "write decimals with a point")
error("1,5 * 2.5", "write decimals with a point")
error("0,5 + 1,250", "write decimals with a point")
error("sqrt 4", "sqrt(x)")
error("pi(2)", "not a function")
error("sqrt()", "sqrt(x)")
error("round(1, 2, 3)", "round(x, places)")
error("5!!", "(n!)!")
error("0x10", "base ten")
error("%5", "percent")
error("percent", "at the end")
error("percent 5 percent", "number")
error("a = 5", "assignments")
error("[1, 2, 3]", "lists")
error("{a: 1}", "objects")
error("1:10", "ranges")
error("round([2.5, 3])", "lists and matrices")
error("log([100, 10])", "lists and matrices")
error("quantile([1, 2, 3, 0.25])", "quantile([1, 2, 3], 0.25)")
error("quantile([1, 2], 0.5, 0.7)", "quantile([1, 2, 3], 0.25)")
error('"text"', "text")
error("1; 2", "one expression")
error("1\n2", "one expression")
error("pi.constructor", "properties")
error("\\log_{2}{8}", "latex")
error("|5|", "abs(x)")
error("2 & 3", "no meaning")
error("5 ? 1", "no meaning")
error("sqrt(9 m^2)", "without a unit")
error("5 km + 3 kg", "same thing")
error("5 km to kg", "same thing")
error("5 to km", "no unit")
error("5 km to 3", "unit after")
error("5 km + 3", "bare number")
error("20 degC + 5 degC", "converted")
error("sin(5 km)", "angle")
error("2^(3 km)", "without a unit")
error("(5 km)^0.5", "whole powers")
error("(" * 60 + "1" + ")" * 60, "nested")
error("-" * 20 + "1", "signs")
error("5 km 3 kg", "operator is missing")
error("5 ft 3/4 in", "operator is missing")
error("(2) 3", "operator is missing")
error("5 ft^2 3 in", "operator")
error("sin(1) 2", "operator is missing")
error("5! 3", "operator is missing")
error("12 0000", "operator (as in 1 + 1/2)")
error("mod 3", "mod(a, b)")
error("3 in 5 ft", "without a number")
error("1/2 ft 3 in", "5 ft + 3 in")
error("5 ft 3 in^2", "operator is missing")
error("2 5/4 cups", "1 + 1/2")
error("3 1/2/4", "1 + 1/2")
exact("5 ft 3 in to cm", 63 * INCH * 100, "cm")
near("5 ft 11 in", Fraction(71, 12), 14, "ft")
exact("2 h 51 min", Fraction("2.85"), "h")
exact("1h30m + 20 min to minutes", 110, "minutes")
exact("2 hours and 30 minutes", Fraction("2.5"), "hours")
exact("120 km / 1 h 30 min", 80, "km/h")
exact("2 1/2 cups", Fraction("2.5"), "cups")
exact("3 3/4 + ½", Fraction("4.25"))
exact("3½ * 2", 7)
exact("240 + 2 1/2%", 246)
exact("0,75 * 4", 3)
exact("0,013 MB", Fraction("0.013"), "MB")
exact("1 234,5 + 1", Fraction("1235.5"))
exact("100 EUR * 1.2", 120)
exact("USD 1,200.50 + 50 dollars", Fraction("1250.5"))
exact("0.30 EUR/kWh * 1500 kWh", 450)
error("np.round(2.5)", "halves away from zero")
error("100 EUR + 5 USD", "exchange rates")
error("100 EUR to USD", "exchange rates")
error("hypot(3, 4)", "sqrt(x^2 + y^2)")
error("degrees(pi/3)", "write ((pi / 3) rad to degrees)")
error("product(2, 3)", "a * b * c")
exact("(5 ft + 3 in) to cm", 63 * INCH * 100, "cm")
exact("1 + 1/2", Fraction(3, 2))
error("C(5)", "combinations(n, k)")
error("1.000.000 + 1", "one decimal point")
error("log_7(49)", 'unknown name "log_7"')

if __name__ == "__main__":
    seen = set()
    for case in CASES:
        assert case["expression"] not in seen, f"twice: {case['expression']}"
        seen.add(case["expression"])
    print(json.dumps(CASES, indent=1, ensure_ascii=False))
