"""Makes forms as models write them for the calculator and the time tool, each with the value that Python gives it.

Nothing here comes from the tools: numbers are fractions, factors of units are written out below, dates are datetime's.

Run: python3 packages/starter/test/data/forms.py COUNT SEED > forms.jsonl; packages/starter/test/compare-forms.ts does, and says what the tools make of them.
`python3 packages/starter/test/data/forms.py 360 1 > packages/starter/test/data/forms.jsonl` writes the sample of npm test.

A line is {"kind", "expression" or "args", "value", "unit"?}: decimal text, or for `time` the text that the answer must hold.
Without a value the form has two meanings or none, and must be refused. A kind that begins with "trap" looks like another
that is read: it may be refused, but not be read otherwise.
"""

import json
import math
import random
import sys
from datetime import date, timedelta
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 25
COUNT, SEED = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(SEED)
pick = rng.choice
NOW = date(2026, 11, 20)  # a Friday, 10:27 UTC


def text(value):
    if isinstance(value, Fraction):
        return str(Decimal(value.numerator) / Decimal(value.denominator))
    return repr(value) if isinstance(value, float) else str(value)


def whole(most=200):
    return rng.randint(1, most)


def amount(most=500):
    """A number as text, with its value."""
    shown = pick([str(whole(most)), f"{whole(most)}.{rng.randint(1, 99):02}", f"{whole(most)}.{rng.randint(1, 9)}"])
    return shown, Fraction(shown)


def around(shown, value):
    """The form inside a calculation."""
    more, size = amount(40)
    return pick([
        (shown, value),
        (f"{shown} + {more}", value + size),
        (f"{more} + {shown}", size + value),
        (f"{more} * {shown}", size * value),
        (f"({shown}) * {more}", value * size),
        (f"{shown} - {more}", value - size),
    ])


# Units -----------------------------------------------------------------------------------------------------------------

# Each family from its largest unit on: spellings, and its size in the smallest.
FAMILIES = [
    [(["ft", "feet", "foot"], 12), (["in", "inches", "inch"], 1)],
    [(["mi", "miles"], 5280), (["ft", "feet"], 1)],
    [(["yd", "yards"], 36), (["ft", "feet"], 12), (["in", "inches"], 1)],
    [(["days", "day", "d"], 86400), (["h", "hours", "hr"], 3600), (["min", "minutes"], 60), (["s", "seconds", "sec"], 1)],
    [(["h", "hours", "hr"], 3600), (["min", "minutes"], 60), (["s", "seconds"], 1)],
    [(["min", "minutes"], 60), (["s", "seconds", "sec"], 1)],
    [(["weeks", "week"], 7), (["days", "day"], 1)],
    [(["lb", "lbs", "pounds"], 16), (["oz", "ounces"], 1)],
    [(["st", "stone"], 14), (["lb", "lbs"], 1)],
    [(["km"], 1000), (["m", "meters"], 1)],
    [(["m", "meters"], 100), (["cm"], 1)],
    [(["kg"], 1000), (["g", "grams"], 1)],
    [(["gal", "gallons"], 4), (["qt", "quarts"], 1)],
    [(["L", "liters"], 1000), (["mL"], 1)],
]


def parts_of(family):
    first = rng.randint(0, len(family) - 2)
    return family[first:first + rng.randint(2, len(family) - first)]


def compound(joints=(" ",), parts=None, space=" "):
    """The text, its value in its first unit, and that unit."""
    parts = parts or parts_of(pick(FAMILIES))
    names = [pick(names) for names, _ in parts]
    counts = [rng.randint(1, 11) for _ in parts]
    words = [f"{number}{space}{name}" for number, name in zip(counts, names)]
    joint = pick(joints)
    shown = "".join(word + (joint if index < len(words) - 1 else "") for index, word in enumerate(words))
    return shown, Fraction(sum(number * size for number, (_, size) in zip(counts, parts)), parts[0][1]), names[0]


UNIT_NAMES = {"in": "inch"}


def compounds():
    shown, value, unit = compound(joints=(" ", " ", " and "), space=pick([" ", " ", ""]))
    more = whole(9)
    return dict(zip(("expression", "value", "unit"), pick([
        (shown, value, unit), (f"{shown} * {more}", value * more, unit), (f"{more} * {shown}", value * more, unit),
        (f"({shown}) / {more}", value / more, unit), (f"{shown} / {more}", value / more, unit), (f"-{shown}", -value, unit),
        (f"{shown} + {more} {unit}", value + more, unit), (f"({shown})", value, unit),
    ])))


def converted_compounds():
    kind = rng.randint(0, 5)
    if kind == 0:
        shown, value, _ = compound(parts=FAMILIES[0])
        target, size = pick([("cm", Fraction("30.48")), ("m", Fraction("0.3048")), ("inches", Fraction(12))])
    elif kind == 1:
        shown, value, _ = compound(parts=FAMILIES[4][:rng.randint(2, 3)])
        target, size = pick([("minutes", Fraction(60)), ("hours", Fraction(1)), ("s", Fraction(3600))])
    elif kind == 2:
        shown, value, _ = compound(parts=FAMILIES[7])
        target, size = pick([("kg", Fraction("0.45359237")), ("g", Fraction("453.59237"))])
    elif kind == 3:
        first, one, unit = compound(parts=FAMILIES[4][:2])
        second, two, _ = compound(parts=FAMILIES[4][:2])
        return dict(expression=f"{first} + {second}", value=one + two, unit=unit)
    elif kind == 4:
        shown, value, _ = compound(parts=FAMILIES[4][:2])
        speed = whole(90)
        return dict(expression=f"{speed} km/h * {shown} to km", value=speed * value, unit="km")
    else:
        shown, value, _ = compound(parts=FAMILIES[4][:2])
        length = whole(90)
        return dict(expression=f"{length} km / ({shown}) to km/h", value=length / value, unit="km/h")
    return dict(expression=f"{shown} {pick(['to', 'in', '->'])} {target}", value=value * size, unit=target)


def clock_letters():
    h, m = whole(12), rng.randint(1, 59)
    return dict(expression=f"{pick([f'{h}h{m}m', f'{h}h {m}m', f'{h}h{m}min', f'{h}h {m}min', f'{h} h {m} m'])} to minutes",
                value=Fraction(h * 60 + m), unit="minutes")


def trap_compounds():
    a, b = whole(9), whole(9)
    shown, value, unit = compound(parts=pick([FAMILIES[0], FAMILIES[4][:2], FAMILIES[7]]))
    return pick([
        dict(expression=f"{a} in {b} ft", value=None), dict(expression=f"{a} ft {b} in^2", value=None),
        dict(expression=f"1/{a} ft {b} in", value=None), dict(expression=f"{a} km {b} kg", value=None),
        dict(expression=f"{a} min {b} h", value=None), dict(expression=f"{a} ft {b} ft", value=None),
        dict(expression=f"max({a} ft, {b} in)", value=Fraction(a) if a * 12 >= b else Fraction(b, 12), unit="ft"),
        dict(expression=f"{a} m {b} s", value=None), dict(expression=f"{a} h {b} miles", value=None),
        dict(expression=f"2^{shown}", value=None), dict(expression=f"{shown} {a}", value=None),
        dict(expression=f"{a}.5 ft {b} in", value=Fraction(2 * a + 1, 2) + Fraction(b, 12), unit="ft"),
        dict(expression=f"{shown} squared", value=value * value, unit=f"{unit}^2"), dict(expression=f"{shown}!", value=None),
        dict(expression=f"{a} ft {b}", value=None), dict(expression=f"{a} ft {b} in cm", value=None),
        dict(expression=f"{a} km {b} mi", value=None), dict(expression=f"{shown}%", value=None),
        dict(expression=f"{a} and {b}", value=None), dict(expression=f"{a} kg and {b} km", value=None),
        dict(expression=f"{a} m {b} km", value=None), dict(expression=f"{a} days {b} m", value=None),
        dict(expression=f"{a} h {b} m^2", value=None), dict(expression=f"{a} ft {b} in {a} s", value=None),
    ])


# Money -----------------------------------------------------------------------------------------------------------------

CURRENCIES = {"$": ["USD", "dollars", "US$"], "€": ["EUR", "euros", "euro"], "£": ["GBP"], "¥": ["JPY", "yen"], "₹": ["INR", "rupees"]}


def money(sign=None):
    sign = sign or pick(list(CURRENCIES))
    name = pick(CURRENCIES[sign][:2])
    shown, value = amount(2000)
    if pick([True, False, False]):
        big = rng.randint(1000, 99999)
        shown, value = f"{big:,}", Fraction(big)
    before = name.isupper() and pick([True, False])
    return (f"{name} {shown}" if before else f"{shown} {name}"), value, sign


def currencies():
    shown, value, sign = money()
    other, size, _ = money(sign)
    more = whole(30)
    return dict(zip(("expression", "value"), pick([
        (shown, value), (f"{shown} * {more}", value * more), (f"{more} * {shown}", value * more), (f"{shown} + {other}", value + size),
        (f"{shown} + {more}%", value * (100 + more) / 100), (f"{more}% of {shown}", value * more / 100),
        (f"{shown} - {more}", value - more), (f"({shown} + {other}) / 2", (value + size) / 2),
    ])))


def trap_currencies():
    one, two = rng.sample(list(CURRENCIES), 2)
    shown, value, _ = money(one)
    other, _, _ = money(two)
    more = whole(30)
    return pick([
        dict(expression=f"{shown} + {other}", value=None), dict(expression=f"{shown} * {other}", value=None),
        dict(expression=f"{shown} to {CURRENCIES[two][0]}", value=None), dict(expression=f"{one}{more} + {other}", value=None),
        dict(expression=f"{shown} in {CURRENCIES[two][0]}", value=None), dict(expression=f"{more}K {CURRENCIES[one][0]}", value=more * 1000),
        dict(expression=f"{more} {CURRENCIES[one][0]}/{CURRENCIES[two][0]} * 2", value=None),
        dict(expression=f"{more} pounds to kg", value=more * Fraction("0.45359237"), unit="kg"),
        dict(expression=f"CHF {more} + {other}", value=None), dict(expression=f"CA${more} + US${more}", value=None),
        dict(expression=f"{more} CAD + {more} USD", value=None), dict(expression=f"{shown} per {CURRENCIES[two][0]}", value=None),
    ])


# Fractions -------------------------------------------------------------------------------------------------------------

VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5),
          "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}


def one_of_vulgar():
    sign = pick(list(VULGAR))
    value = Fraction(*VULGAR[sign])
    before = rng.randint(0, 12)
    return (f"{before}{pick(['', ' '])}{sign}" if before else sign), before + value


def vulgar():
    shown, value = one_of_vulgar()
    if pick([True, False, False]):
        unit = pick(["cups", "km", "hours", "lb"])
        return dict(expression=f"{shown} {unit}", value=value, unit=unit)
    other, size = one_of_vulgar()
    return dict(zip(("expression", "value"), pick([around(shown, value), (f"{shown} + {other}", value + size), (f"-{shown}", -value),
                                                   (f"{shown} * {other}", value * size), (f"{shown} / {other}", value / size),
                                                   (f"{shown}²", value**2), (f"{shown} of 240", value * 240), (f"3^2 * {shown}", 9 * value)])))


def proper():
    below = pick([2, 3, 4, 5, 6, 8, 10, 12, 16, 32])
    above = rng.randint(1, below - 1)
    return above, below


def one_mixed():
    before, (above, below) = whole(20), proper()
    return f"{before} {above}/{below}", before + Fraction(above, below)


def mixed():
    shown, value = one_mixed()
    other, size = one_mixed()
    unit = pick(["cups", "hours", "lb", "inches"])
    return pick([
        dict(expression=shown, value=value), dict(expression=f"{shown} + {other}", value=value + size),
        dict(expression=f"{shown} - {other}", value=value - size), dict(expression=f"{shown} * {other}", value=value * size),
        dict(expression=f"{shown} * 3", value=value * 3), dict(expression=f"3 * {shown}", value=value * 3),
        dict(expression=f"({shown}) * 2", value=value * 2), dict(expression=f"-{shown}", value=-value),
        dict(expression=f"{shown} {unit}", value=value, unit=unit), dict(expression=f"max({shown}, {other})", value=max(value, size)),
        dict(expression=f"{shown} ÷ {other}", value=value / size), dict(expression=f"15% of {shown}", value=value * 15 / 100),
        dict(expression=f"{shown} x 4", value=value * 4), dict(expression=f"round({shown})", value=math.floor(value + Fraction(1, 2))),
    ])


def trap_fractions():
    shown, value = one_mixed()
    a, b, c = whole(9), whole(9), whole(9)
    return pick([
        dict(expression=f"{a} {b + c}/{c}", value=None), dict(expression=f"{a}/{b} {shown}", value=None),
        dict(expression=f"{shown}/{a}", value=None), dict(expression=f"{shown}%", value=value / 100), dict(expression=f"{shown}^2", value=None),
        dict(expression=f"{shown} {a}", value=None), dict(expression=f"{a}.5½", value=None), dict(expression=f"½{a}", value=None),
        dict(expression=f"{a}/{shown}", value=None), dict(expression=f"{a}^{shown}", value=None), dict(expression=f"log {shown}", value=None),
        dict(expression=f"max({a},{100 + b} 1/2)", value=None), dict(expression=f"{a},{100 + b} 1/2", value=None),
        dict(expression=f"{a},{100 + b}½", value=None), dict(expression=f"{shown}e3", value=None), dict(expression=f"{shown}.5", value=None),
        dict(expression=f"{a} {b}", value=None), dict(expression="½½", value=None),
        dict(expression=f"{a} min ½", value=None), dict(expression=f"{a} dollars ½", value=None), dict(expression=f"{a} min {shown}", value=None), dict(expression=f"{a} 1/2 1/4", value=None),
    ])


# Decimal commas --------------------------------------------------------------------------------------------------------


def comma():
    after = pick([f"{rng.randint(1, 9)}", f"{rng.randint(0, 99):02}", f"{rng.randint(0, 99):02}", f"{rng.randint(1000, 9999)}"])
    before = pick(["0", str(whole(30)), str(whole(30)), str(rng.randint(100, 5000))])
    if before == "0" and pick([True, False]):
        after = f"{rng.randint(1, 999):03}"
    return f"{before},{after}", Fraction(f"{before}.{after}")


def commas():
    shown, value = comma()
    other, size = comma()
    more = whole(30)
    unit = pick(["kg", "km", "L"])
    return pick([
        dict(expression=shown, value=value), dict(expression=f"{shown} * {more}", value=value * more),
        dict(expression=f"{shown} + {other}", value=value + size), dict(expression=f"{more} - {shown}", value=more - value),
        dict(expression=f"{shown} {unit}", value=value, unit=unit), dict(expression=f"{shown} * {other}", value=value * size),
        dict(expression=f"{shown} EUR * {more}", value=value * more), dict(expression=f"{shown} + {more}%", value=value * (100 + more) / 100),
        dict(expression=f"{shown}% of {more}", value=value * more / 100), dict(expression=f"({more} + 2) * {shown}", value=(more + 2) * value),
    ])


def trap_commas():
    a, b, c = whole(9), whole(9), whole(99)
    shown, value = comma()
    return pick([
        dict(expression=f"max({a},{b})", value=max(a, b)), dict(expression=f"max({a}, {b})", value=max(a, b)),
        dict(expression=f"sum({a},{b},{c})", value=a + b + c), dict(expression=f"mean([{a},{b}])", value=Fraction(a + b, 2)),
        dict(expression=f"round({a}.126, 2)", value=Fraction(f"{a}.13")), dict(expression=f"{a},{100 + c} * 2", value=2 * (a * 1000 + 100 + c)),
        dict(expression=f"{a},{b},{c}", value=None), dict(expression=f"{a}, {b}", value=None), dict(expression=f"{shown} + max({a},{b})", value=None),
        dict(expression=f"{shown} + max({a}, {b})", value=value + max(a, b)),
        dict(expression=f"{shown} * {a}.5", value=None), dict(expression=f"{shown} + {a},{100 + c}", value=None), dict(expression=f"({a},{b})", value=None),
        dict(expression=f"({a},{b} + 2) * 3", value=None), dict(expression=f"{a}.{100 + c},{b}5", value=Fraction(f"{a}{100 + c}.{b}5")), dict(expression=f"{a},{c:02},{100 + c}", value=None),
        dict(expression=f"max(({a})+2,{b})", value=max(a + 2, b)), dict(expression=f"sqrt({a},{b}5)", value=None), dict(expression=f"0,{a},{b}", value=None),
        dict(expression=f"gcd({a * 6},{b * 6})", value=math.gcd(a * 6, b * 6)), dict(expression=f"[{a},{b}]", value=None),
        dict(expression=f"{a}.{100 + c} + {shown}", value=a * 1000 + 100 + c + value), dict(expression=f"{a} 000,{b}", value=Fraction(f"{a}000.{b}")),
    ])


# Time ------------------------------------------------------------------------------------------------------------------

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def any_day():
    return NOW + timedelta(days=rng.randint(-2000, 2000))


def long(day):
    return f"{WEEKDAYS[day.weekday()]} {day}"


def count(days, unit="days"):
    return f"{days} {unit[:-1] if abs(days) == 1 else unit}"


def dotted_dates():
    day = any_day()
    if day.day <= 12 and day.day != day.month:
        return dotted_dates()
    shown = pick([f"{day:%d.%m.%Y}", f"{day.day}.{day.month}.{day.year}"])
    return dict(args=dict(operation="convert", time=shown), value=f"{day} is a {WEEKDAYS[day.weekday()]}.")


def trap_dates():
    day = any_day()
    if day.day > 12 or day.day == day.month:
        return trap_dates()
    return dict(args=dict(operation="convert", time=pick([f"{day:%d.%m.%Y}", f"{day:%d.%m.%y}", f"{day.day}.{day.month}.{day.year}"])), value=None)


STARTS, ENDS = ["start", "start_date", "date", "from_date", "start_time", "from"], ["end_date", "end_time", "to_date", "to"]
ZONES, TARGETS = ["timezone", "time_zone", "tz", "from_zone", "from_timezone"], ["to_zone", "to_timezone", "target_zone", "target_timezone"]


def members():
    one, two = any_day(), any_day()
    days = rng.randint(1, 99)
    place, zone = pick([("Tokyo", 9), ("Dubai", 4), ("Nairobi", 3)])
    hour = rng.randint(0, 9)
    moment = f"{one}T{hour:02}:30"
    there = f"= {long(one)} {hour + zone:02}:30 {place}"
    return pick([
        dict(args={"operation": "difference", pick(STARTS): str(one), pick(["end", *ENDS]): str(two)}, value=f"Total: {count((two - one).days)}"),
        dict(args={"operation": "difference", "time": str(one), pick(ENDS): str(two)}, value=f"Total: {count((two - one).days)}"),
        dict(args={"operation": "add", pick(STARTS): str(one), "duration": f"{days} days"}, value=f"= {long(one + timedelta(days=days))}"),
        dict(args={"operation": "add", "time": str(one), pick(["amount", "delta"]): f"{days} days"}, value=f"= {long(one + timedelta(days=days))}"),
        dict(args={"operation": "now", pick(ZONES[:3]): place}, value=f"{place} (") if place != "Tokyo" else
        dict(args={"operation": "now", pick(ZONES[:3]): place}, value="Tokyo (Asia/Tokyo): Friday 2026-11-20 19:27:11 UTC+09:00"),
        dict(args={"operation": "convert", "time": moment, pick(ZONES): "UTC", pick(TARGETS): place}, value=there),
        dict(args={"operation": "convert", "time": moment, "zone": "UTC", pick(TARGETS): [place]}, value=there),
        dict(args={"operation": "convert", pick(["date", "start_time"]): moment, "zone": "UTC", "to_zones": [place]}, value=there),
        dict(args={"operation": "convert", "date": str(one)}, value=f"{one} is a {WEEKDAYS[one.weekday()]}."),
    ])


def trap_members():
    one, two = any_day(), any_day() + timedelta(days=4001)
    return pick([
        dict(args={"operation": "difference", "time": str(one), "date": str(two), "end": "2026-01-01"}, value=None),
        dict(args={"operation": "convert", "time": "15:00", "date": str(one)}, value=None),
        dict(args={"operation": "convert", "time": f"{one}T15:00", "zone": "Tokyo", "timezone": "Paris", "to_zones": ["UTC"]}, value=None),
        dict(args={"operation": "now", "date": str(one)}, value=None),
        dict(args={"operation": "now", "calendar": "julian"}, value=None),
        dict(args={"operation": "convert", "time": "15:00", "from": "London", "to": "Tokyo"}, value=None),
        dict(args={"operation": "convert", "from": "London", "to": "Tokyo"}, value=None),
        dict(args={"operation": "difference", "time": str(one), "end": str(two), "to_zone": "Tokyo"}, value=None),
        dict(args={"operation": "add", "time": str(one), "amount": 3}, value=None),
        dict(args={"operation": "convert", "time": str(one), "end": str(two)}, value=None),
        dict(args={"operation": "add", "time": str(one), "duration": "1 day", "amount": "2 days"}, value=None),
    ])


def by_dates():
    day = any_day()
    args = {"operation": "difference", "time": "now", "end": str(day)}
    if pick([True, False]):
        args["zone"] = "UTC"
    return dict(args=args, value=f"By dates: {count((day - NOW).days)}")


def business_days():
    day, amount = any_day(), rng.randint(1, 60) * pick([1, 1, -1])
    end, left = day, abs(amount)
    while left:
        end += timedelta(days=1 if amount > 0 else -1)
        left -= end.weekday() < 5
    unit = pick(["business day", "working day", "weekday", "business day"]) + ("" if abs(amount) == 1 else "s")
    return dict(args={"operation": "add", "time": str(day), "duration": f"{amount} {unit}"}, value=f"= {long(end)}")


def trap_together():
    """Two forms in one sum; where one writes decimals with a comma and one with a point, it is refused."""
    one, two = (pick([vulgar, mixed, commas, currencies])() for _ in range(2))
    if "unit" in one or "unit" in two or "%" in two["expression"]:
        return trap_together()
    kinds = [type(form["value"]) for form in (one, two)]
    left, right = (float(form["value"]) if float in kinds else form["value"] for form in (one, two))
    return dict(expression=f"{one['expression']} + {two['expression']}", value=left + right)


KINDS = {
    "5 ft 11 in": compounds, "5 ft 11 in to cm": converted_compounds, "2h51m": clock_letters, "trap: compounds": trap_compounds,
    "100 EUR": currencies, "trap: currencies": trap_currencies, "½": vulgar, "3 3/4": mixed, "trap: fractions": trap_fractions,
    "0,75": commas, "trap: commas": trap_commas,
    "trap: two together": trap_together,
    "25.08.2026": dotted_dates, "trap: 12.08.2026": trap_dates, "timezone, start, ...": members, "trap: members": trap_members,
    "now to a date": by_dates, "5 business days": business_days,
}

for number in range(COUNT):
    kind = list(KINDS)[number % len(KINDS)]
    form = KINDS[kind]()
    if "unit" in form:
        form["unit"] = UNIT_NAMES.get(form["unit"], form["unit"])
    if form["value"] is not None:
        form["value"] = text(form["value"])
    print(json.dumps({"kind": kind, **form}, ensure_ascii=False))
