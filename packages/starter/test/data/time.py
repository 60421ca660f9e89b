"""Writes time.json: questions for the time tool and the lines it must answer with.

Every expected value is worked out here, by Python's datetime and zoneinfo and by dateutil's relativedelta, and by
nothing the tool itself uses. Which zone a name means (ZONES) is written down by hand.

Zone data: the file was made with the system's tzdata 2025b; Node 24 holds 2026c (process.versions.tz). Zones whose rules
changed meanwhile (British Columbia, Alberta, Morocco) and dates before 1970 in zones that only one of them keeps are left
out. So are spans in months that begin on a day the last month lacks (31 January to 28 February): dateutil calls that one
month, Temporal 28 days, and both can be defended.

Run: python3 packages/starter/test/data/time.py (Python 3.11, python-dateutil 2.9). To use other zone data, set PYTHONTZPATH.
"""

import json
import pathlib
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.relativedelta import FR, SA, relativedelta

NOW = datetime(2026, 11, 20, 23, 18, 3, tzinfo=timezone.utc)
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def iana(label, name):
    return (label, name, ZoneInfo(name))


def fixed(label, hours, minutes=0):
    return (label, "", timezone(timedelta(hours=hours, minutes=minutes)))


# What is asked: the label that the answer shows, the zone's name there, and the zone
ZONES = {
    "UTC": fixed("UTC", 0), "Z": fixed("UTC", 0), "GMT": fixed("GMT", 0),
    "UTC+5:30": fixed("UTC+05:30", 5, 30), "+05:30": fixed("UTC+05:30", 5, 30), "GMT-3": fixed("UTC-03:00", -3),
    "-0800": fixed("UTC-08:00", -8), "UTC−9": fixed("UTC-09:00", -9), "utc +14": fixed("UTC+14:00", 14),
    "EST": fixed("EST", -5), "EDT": fixed("EDT", -4), "CET": fixed("CET", 1), "JST": fixed("JST", 9),
    "MSK": fixed("MSK", 3), "AEST": fixed("AEST", 10), "AEDT": fixed("AEDT", 11),
    "Etc/GMT+5": iana("GMT+5", "Etc/GMT+5"), "Asia/Calcutta": iana("Calcutta", "Asia/Calcutta"),
    "US/Eastern": iana("Eastern", "US/Eastern"), "Europe/Kiev": iana("Kiev", "Europe/Kiev"),
    "america/new york": iana("New York", "America/New_York"),
    "Asia/Tokyo": iana("Tokyo", "Asia/Tokyo"), "Japan": iana("Tokyo", "Asia/Tokyo"), "India": iana("Mumbai", "Asia/Kolkata"),
    "Birmingham": iana("Birmingham, United Kingdom", "Europe/London"),
    "Birmingham, Alabama": iana("Birmingham", "America/Chicago"), "Portland, Maine": iana("Portland", "America/New_York"),
    "London, Ontario": iana("London", "America/Toronto"), "San Jose, CA": iana("San Jose", "America/Los_Angeles"),
    "ET": iana("ET", "America/New_York"), "Pacific Time": iana("Pacific", "America/Los_Angeles"),
    "Tokyo time": iana("Tokyo", "Asia/Tokyo"), "NYC": iana("NYC", "America/New_York"),
    "LA": iana("LA", "America/Los_Angeles"), "Bombay": iana("Bombay", "Asia/Kolkata"),
    "Sao Paulo": iana("Sao Paulo", "America/Sao_Paulo"), "SÃO PAULO": iana("Sao Paulo", "America/Sao_Paulo"),
    "Zurich": iana("Zürich", "Europe/Zurich"), "Saigon": iana("Saigon", "Asia/Saigon"),
    "Asunción": iana("Asuncion", "America/Asuncion"), "Springfield": iana("Springfield, Massachusetts", "America/New_York"),
    "USA": iana("New York, New York", "America/New_York"), "Washington": iana("Washington", "America/New_York"),
    "Georgia": iana("Atlanta, Georgia", "America/New_York"), "Queenstown": iana("Queenstown, South Africa", "Africa/Johannesburg"),
}
for city, name in [
    ("Tokyo", "Asia/Tokyo"), ("New York", "America/New_York"), ("London", "Europe/London"), ("Paris", "Europe/Paris"),
    ("Berlin", "Europe/Berlin"), ("Sydney", "Australia/Sydney"), ("Auckland", "Pacific/Auckland"), ("Cairo", "Africa/Cairo"),
    ("Kathmandu", "Asia/Kathmandu"), ("Tehran", "Asia/Tehran"), ("Kabul", "Asia/Kabul"), ("Adelaide", "Australia/Adelaide"),
    ("Eucla", "Australia/Eucla"), ("Chatham Islands", "Pacific/Chatham"), ("Lord Howe", "Australia/Lord_Howe"),
    ("Kiritimati", "Pacific/Kiritimati"), ("Apia", "Pacific/Apia"), ("Pago Pago", "Pacific/Pago_Pago"),
    ("Honolulu", "Pacific/Honolulu"), ("Chicago", "America/Chicago"), ("Moscow", "Europe/Moscow"), ("Nairobi", "Africa/Nairobi"),
    ("Havana", "America/Havana"), ("Beirut", "Asia/Beirut"), ("Jerusalem", "Asia/Jerusalem"), ("Dublin", "Europe/Dublin"),
]:
    ZONES[city] = iana(city, name)

cases = []


def case(name, args, lines, notes=(), now=None):
    """
    One question. `lines`: what comes before the notes, exactly; `notes`: texts that the notes must hold;
    `now`: when it is asked, if not at NOW.
    """
    asked = {"now": now.isoformat().replace("+00:00", "Z")} if now else {}
    cases.append({"name": name, **asked, "args": args, "lines": lines, "notes": list(notes)})


def day(moment):
    return f"{WEEKDAYS[moment.weekday()]} {moment.year:04}-{moment.month:02}-{moment.day:02}"


def clock(moment, always=False):
    seconds = f":{moment.second:02}" if always or moment.second else ""
    return f"{moment.hour:02}:{moment.minute:02}{seconds}"


def offset(moment):
    delta = moment.utcoffset()
    sign = "-" if delta < timedelta(0) else "+"
    size = int(abs(delta).total_seconds())
    seconds = f":{size % 60:02}" if size % 60 else ""
    return f"UTC{sign}{size // 3600:02}:{size // 60 % 60:02}{seconds}"


def full(moment, zone):
    label, detail, _ = zone
    if not detail and label.startswith("UTC"):
        return f"{day(moment)} {clock(moment)} {label}"
    inner = f"{detail}, " if detail else ""
    return f"{day(moment)} {clock(moment)} {label} ({inner}{offset(moment)})"


def reading(naive, tz):
    """The moment of a local time: the first of a repeated hour, or a skipped one by the clock before; and what to note."""
    first, second = naive.replace(tzinfo=tz, fold=0), naive.replace(tzinfo=tz, fold=1)
    real = first.astimezone(timezone.utc).astimezone(tz)
    if first.utcoffset() == second.utcoffset():
        return [], real
    if real.replace(tzinfo=None, fold=0) == naive:
        return ["happens twice", f"For the second write {naive.isoformat().removesuffix(':00')}{offset(second).removeprefix('UTC')}."], real
    return ["does not exist"], real


def at(moment, zone):
    return moment.astimezone(timezone.utc).astimezone(zone[2])


def now(*names, notes=()):
    lines = []
    for name in names:
        label, detail, _ = ZONES[name]
        moment = at(NOW, ZONES[name])
        lines.append(f"{label} ({detail}): " if detail else f"{label}: ")
        lines[-1] += f"{day(moment)} {clock(moment, True)} {offset(moment)}"
    args = {"zone": names[0]} if len(names) == 1 else {"to_zones": list(names)}
    case("now in " + ", ".join(names), {"operation": "now", **args}, list(dict.fromkeys(lines)), notes)


def convert(naive, source, *targets, text=None, notes=(), zone=True):
    """`naive` in `source` to `targets`; `text` when the time is written otherwise than in ISO form."""
    facts, moment = reading(naive, ZONES[source][2])
    lines = []
    for target in targets:
        there = f"Unix {int(moment.timestamp())}" if target == "Unix" else full(at(moment, ZONES[target]), ZONES[target])
        lines.append(f"{full(moment, ZONES[source])} = {there}")
    written = text or naive.isoformat()
    args = {"operation": "convert", "time": written, "to_zones": list(targets)}
    if zone:
        args["zone"] = source
    case(f"convert {written} from {source} to {', '.join(targets)}", args, lines, [*facts, *notes])


def number(value):
    return f"{value:.6f}".rstrip("0").rstrip(".")


def count(value, unit):
    about = "" if float(number(value)) == value else "about "
    return f"{about}{number(value)} {unit[:-1] if abs(value) == 1 else unit}"


def span(parts):
    return ", ".join(count(abs(value), unit) for unit, value in parts if value)


def units(delta):
    return [(unit, getattr(delta, unit)) for unit in ("years", "months", "days", "hours", "minutes", "seconds")]


def day_lines(start, end):
    delta, days = relativedelta(end, start), (end - start).days
    back = " back" if days < 0 else ""
    weeks = f" = {span([('weeks', abs(days) // 7), ('days', abs(days) % 7)])}{back}" if abs(days) >= 7 else ""
    first, last = min(start, end), max(start, end)
    # Whole weeks have five weekdays each; the days that remain are counted one by one.
    rest = [first + timedelta(days=abs(days) // 7 * 7 + more) for more in range(abs(days) % 7)]
    business = abs(days) // 7 * 5 + sum(each.weekday() < 5 for each in rest)
    tail = " back (the end is before the start)" if days < 0 else ""
    return [
        f"From {day(start)} to {day(end)}",
        f"Calendar: {span(units(delta)) or '0 days'}{tail}",
        f"Total: {count(days, 'days')}{weeks}",
        f"Monday to Friday, from the first day on: {count(business, 'days')} without the last day, "
        f"{business + (last.weekday() < 5)} with it",
    ]


def days_between(start, end):
    args = {"operation": "difference", "time": day(start)[-10:], "end": day(end)[-10:]}
    case(f"days from {start} to {end}", args, day_lines(start, end))


def spans(first, second, zones, start, end, by=""):
    """The lines of a difference between two moments."""
    seconds = (second.astimezone(timezone.utc) - first.astimezone(timezone.utc)).total_seconds()
    size = abs(int(seconds))
    words = [("days", size // 86400), ("hours", size // 3600 % 24), ("minutes", size // 60 % 60), ("seconds", size % 60)]
    totals = [span(words) or "0 seconds"]
    totals += [count(size / unit, name) for unit, name in [(3600, "hours"), (60, "minutes"), (1, "seconds")] if size >= unit]
    back = " back (the end is before the start)" if seconds < 0 else ""
    return [
        f"From {full(first, zones[0])} to {full(second, zones[1])}",
        f"Calendar: {span(units(relativedelta(end, start))) or '0 seconds'}{back}{by}",
        f"Total: {' = '.join(dict.fromkeys(totals))}{' back' if seconds < 0 else ''}",
    ]


def time_between(start, end, name, notes=()):
    """Both in one zone. The calendar form is relativedelta's, which holds where the last day has no clock change."""
    zone = ZONES[name]
    first, second = start.replace(tzinfo=zone[2]), end.replace(tzinfo=zone[2])
    args = {"operation": "difference", "time": start.isoformat(), "end": end.isoformat(), "zone": name}
    case(f"time from {start} to {end} in {name}", args, spans(first, second, (zone, zone), start, end), notes)


def clocks_between(start, first_name, end, second_name, now):
    """From a time of day, today's where it is, to the next one of another; no clock changes near."""
    zones = [ZONES[name] for name in (first_name, second_name)]
    first = datetime.combine(at(now, zones[0]).date(), start, zones[0][2])
    second = datetime.combine(at(first, zones[1]).date(), end, zones[1][2])
    if second < first:
        second = datetime.combine(second.date() + timedelta(days=1), end, zones[1][2])
    texts = [f"{moment:%H:%M} {name}" for moment, name in ((start, first_name), (end, second_name))]
    by = f" (by the clock of {zones[0][0]} ({zones[0][1]}))" if first_name != second_name else ""
    there = at(second, zones[0]).replace(tzinfo=None)
    lines = spans(first, second, zones, first.replace(tzinfo=None), there, by)
    args = {"operation": "difference", "time": texts[0], "end": texts[1]}
    case(f"{texts[0]} to {texts[1]}, asked {now:%d. %H:%M}", args, lines, ["No date was given"], now)


def until(text, end, now, notes=(), name="UTC", is_date=True, is_back=False):
    """From the present to the first such moment that follows it; beside a date alone, counted by dates too."""
    args = {"operation": "difference", "time": text if is_back else "now", "end": "now" if is_back else text, "zone": name}
    zone = ZONES[name]
    there = end.replace(tzinfo=zone[2])
    pair = (there, at(now, zone)) if is_back else (at(now, zone), there)
    lines = spans(*pair, (zone, zone), *(each.replace(tzinfo=None) for each in pair))
    if is_date:
        by_dates = day_lines(*(each.date() for each in pair))
        lines[1:1] = [by_dates[2].replace("Total", "By dates"), by_dates[3]]
    asked = f"asked {now:%Y-%m-%d %H:%M}" + ("" if name == "UTC" else f" in {name}")
    case(f"from {args['time']} to {args['end']}, {asked}", args, lines, notes, now)


def weekday(moment, text=None, notes=(), now=None, **more):
    written = text or day(moment)[-10:]
    asked = f", asked {now:%Y-%m-%d}" if now else ""
    where = "".join(f" in {name}" for name in more.values())
    lines = [f"{day(moment)[-10:]} is a {WEEKDAYS[moment.weekday()]}."]
    case(f"weekday of {written}{where}{asked}", {"operation": "convert", "time": written, **more}, lines, notes, now)


def add_days(start, text, shown, notes=(), **delta):
    lines = [f"{day(start)} {shown} = {day(start + relativedelta(**delta))}"]
    case(f"{start} plus {text}", {"operation": "add", "time": day(start)[-10:], "duration": text}, lines, notes)


def add_business_days(start, amount, text, shown):
    """Day by day, Saturdays and Sundays left out."""
    end, left = start, abs(amount)
    while left:
        end += timedelta(days=1 if amount > 0 else -1)
        left -= end.weekday() < 5
    lines = [f"{day(start)} {shown} = {day(end)}"]
    args = {"operation": "add", "time": day(start)[-10:], "duration": text}
    case(f"{start} plus {text}", args, lines, ["Monday to Friday; holidays count as"])


def add_time(start, name, text, shown, date_part=None, real=None, notes=()):
    """Moves the date on the local clock by `date_part`, then adds the real time `real`."""
    zone = ZONES[name]
    begun = reading(start, zone[2])[1]
    facts, moved = reading(start + date_part, zone[2]) if date_part else ([], begun)
    end = (moved.astimezone(timezone.utc) + (real or timedelta())).astimezone(zone[2])
    lines = [f"{full(begun, zone)} {shown} = {full(end, zone)}"]
    args = {"operation": "add", "time": start.isoformat(), "zone": name, "duration": text}
    case(f"{start} in {name} plus {text}", args, lines, [*facts, *notes])


def T(*parts):
    return datetime(*parts)


# The present
for names in [("Tokyo",), ("New York", "London", "Sydney"), ("UTC", "Z", "GMT"), ("Chatham Islands", "Kiritimati", "Pago Pago"),
              ("NYC", "LA", "Bombay", "Zurich", "Saigon"), ("Sao Paulo", "SÃO PAULO"), ("Japan", "India"), ("UTC+5:30", "GMT-3", "+05:30", "-0800", "UTC−9", "utc +14"),
              ("JST", "MSK", "AEDT", "ET", "Pacific Time", "Tokyo time"), ("Portland, Maine", "London, Ontario", "San Jose, CA"),
              ("america/new york", "Asia/Calcutta", "US/Eastern", "Etc/GMT+5"), ("Birmingham, Alabama", "Asunción", "Nairobi", "Cairo")]:
    now(*names)
for name in ("Birmingham", "Springfield", "USA", "Washington", "Georgia", "Queenstown"):
    now(name, notes=[f'"{name}" is read as {ZONES[name][0]} ({ZONES[name][1]}): to mean another, write its state'])
now("EDT", notes=["America/New_York is at UTC-05:00 then, where it is Friday 2026-11-20 18:18:03"])

# Conversions
convert(T(2026, 11, 20, 15, 0), "New York", "London", "Tokyo")
convert(T(2026, 11, 20, 15, 0), "UTC", "Kathmandu", "Kabul", "Tehran")
convert(T(2026, 6, 15, 12, 0), "Apia", "Pago Pago", "Kiritimati")
convert(T(2011, 12, 31, 0, 0), "Apia", "Pago Pago")
convert(T(2026, 7, 15, 12, 0), "EST", "London",
        notes=["always UTC-05:00", "America/New_York is at UTC-04:00 then, where it is Wednesday 2026-07-15 13:00"])
convert(T(2026, 1, 15, 12, 0), "AEST", "Tokyo", notes=["Australia/Sydney is at UTC+11:00 then"])
convert(T(2030, 1, 1, 0, 0), "UTC", "Unix", "Tokyo")
convert(T(2026, 11, 1, 1, 30), "New York", "Unix")
# Skipped and repeated, north and south, whole hours and half hours, at midnight and over a whole day
for naive, name in [(T(2026, 3, 8, 2, 30), "New York"), (T(2026, 10, 25, 2, 59, 59), "Berlin"), (T(2026, 10, 4, 2, 15), "Sydney"),
                    (T(2026, 4, 5, 1, 45), "Lord Howe"), (T(2026, 3, 8, 0, 30), "Havana"), (T(2011, 12, 30, 12, 0), "Apia"),
                    (T(2026, 10, 25, 1, 15), "Dublin")]:
    convert(naive, name, "UTC")
# The last moments before a change and the first after it
for naive in [T(2026, 3, 8, 1, 59, 59), T(2026, 3, 8, 3, 0), T(2026, 11, 1, 2, 0)]:
    convert(naive, "New York", "UTC")
# Historic dates and the far future
convert(T(1850, 6, 1, 12, 0), "Paris", "UTC")
convert(T(1, 1, 2, 0, 0), "UTC", "Tokyo")
convert(T(2500, 1, 1, 12, 0), "Sydney", "Berlin")
# Ways to write a time
for text in ["2026-03-01T15:00", "2026-03-01 3pm", "March 1, 2026 3:00 PM", "1 March 2026 at 15:00", "2026/3/1 15:00",
             "15:00 on March 1st, 2026", "Sunday, March 1, 2026 3 p.m.", "20260301T1500",
             "Sun 01 Mar 2026 15:00:00", "the 1st of March 2026, 15:00"]:
    convert(T(2026, 3, 1, 15, 0), "London", "Tokyo", text=text)
convert(T(2026, 3, 1, 12, 0), "London", "Tokyo", text="2026-03-01 noon")
convert(T(2026, 3, 1, 0, 0), "London", "Tokyo", text="2026-03-01 midnight", notes=["the start of Sunday 2026-03-01; its end is 00:00 of the day after"])
convert(T(2026, 3, 1, 0, 0), "London", "Tokyo", text="2026-03-01 12am", notes=["the start of Sunday 2026-03-01"])
convert(T(2026, 3, 1, 0, 0), "London", "Tokyo", text="2026-03-01", notes=["00:00 is assumed"])
convert(T(2026, 11, 21, 15, 0), "Tokyo", "UTC", text="15:00", notes=["No date was given: Saturday 2026-11-21 is assumed"])
convert(T(2026, 11, 22, 9, 0), "Tokyo", "UTC", text="tomorrow 9am")
convert(T(2026, 11, 19, 12, 0), "Honolulu", "UTC", text="noon yesterday")
convert(T(2026, 12, 4, 15, 30), "London", "Tokyo", text="3.30pm 4 December 2026")
convert(T(2016, 11, 16, 12, 0), "London", "Tokyo", text="16. Nov. 2016 midday")
convert(T(2026, 12, 24, 18, 0), "Berlin", "London", text="24 December 18:00", notes=["No year was given: 2026, the next one, is assumed"])
for text, source in [("2026-03-01T15:00Z", "UTC"), ("2026-03-01T15:00+05:30", "UTC+5:30"), ("2026-03-01 15:00 Tokyo", "Tokyo"),
                     ("2026-03-01 3pm JST", "JST"), ("2026-03-01 15:00 Asia/Tokyo", "Asia/Tokyo"), ("Sun, 01 Mar 2026 15:00:00 GMT", "GMT"),
                     ("3pm Birmingham, Alabama, March 1, 2026", "Birmingham, Alabama")]:
    convert(T(2026, 3, 1, 15, 0), source, "London", text=text, zone=False)
convert(T(2026, 11, 20, 23, 18, 3), "UTC", "Tokyo", text="now", zone=False)
for text, unit in [("@1700000000", "seconds"), ("1700000000", "seconds"), ("Unix 1700000000", "seconds"), ("1700000000000", "milliseconds")]:
    convert(T(2023, 11, 14, 22, 13, 20), "UTC", "Tokyo", text=text, zone=False, notes=[f"read as Unix time in {unit}"])

# Differences
for start, end in [(date(2026, 3, 1), date(2026, 5, 4)), (date(2026, 5, 4), date(2026, 3, 1)), (date(2024, 2, 28), date(2024, 3, 1)),
                   (date(2000, 2, 29), date(2026, 3, 1)), (date(2026, 1, 1), date(2026, 1, 1)), (date(1, 1, 1), date(9999, 12, 31)),
                   (date(2026, 11, 21), date(2026, 11, 30)), (date(2026, 11, 29), date(2026, 11, 21))]:
    days_between(start, end)
time_between(T(2026, 3, 28, 12, 0), T(2026, 3, 29, 12, 0), "Berlin", ["further ahead"])
time_between(T(2026, 4, 4, 12, 0), T(2026, 4, 5, 12, 0), "Lord Howe", ["0.5 h further back"])
time_between(T(2026, 11, 20, 8, 30), T(2026, 11, 20, 17, 45, 30), "Tokyo")
time_between(T(2026, 11, 20, 17, 0), T(2026, 11, 18, 16, 0), "Tokyo")
time_between(T(2011, 12, 29, 12, 0), T(2011, 12, 31, 12, 0), "Apia", ["24 h further ahead"])
for hour in (0, 23):
    asked = datetime(2026, 11, 20, hour, 20, 11, tzinfo=timezone.utc)
    clocks_between(time(22), "London", time(6), "London", asked)
    clocks_between(time(9), "New York", time(9), "Tokyo", asked)
    today = asked.replace(tzinfo=None, hour=0, minute=0, second=0)
    until("06:00", today + timedelta(days=hour > 6, hours=6), asked, ["No date was given"], is_date=False)
    until("Friday", today + timedelta(days=7), asked, ['"Friday" is read as Friday 2026-11-27'])
    until("20 November", today + relativedelta(years=1), asked, ["No year was given: 2027"])
    until("2027-03-08", T(2027, 3, 8), asked)
    until("2027-03-08", T(2027, 3, 8), asked, name="Tokyo")
    until("2026-11-01", T(2026, 11, 1), asked, is_back=True)
until("2026-10-31", T(2026, 10, 31), NOW)
for text, end in [("1 January", date(2027, 1, 1)), ("July 4th", date(2027, 7, 4)), ("20 November", date(2026, 11, 20)),
                  ("29 February", date(2028, 2, 29)), ("Monday", date(2026, 11, 23))]:
    args = {"operation": "difference", "time": "today", "end": text, "zone": "UTC"}
    case(f"from today to {text}", args, day_lines(NOW.date(), end))

# Durations: month ends, leap days, years, weeks, and either direction
for args in [(date(2026, 1, 31), "1 month", "+ 1 month", dict(months=1)), (date(2026, 3, 31), "-1 month", "- 1 month", dict(months=-1)),
             (date(2024, 2, 29), "1 year", "+ 1 year", dict(years=1)), (date(2026, 8, 31), "P1M", "+ 1 month", dict(months=1))]:
    add_days(*args[:3], notes=["its last day"], **args[3])
for args in [(date(2026, 11, 20), "-2 weeks", "- 2 weeks", dict(weeks=-2)),
             (date(2026, 11, 20), "-100 days", "- 100 days", dict(days=-100)), (date(2026, 11, 20), "a week", "+ 1 week", dict(weeks=1)),
             (date(2000, 1, 1), "P1Y2M10D", "+ 1 year 2 months 10 days", dict(years=1, months=2, days=10)),
             (date(1, 1, 1), "9998 years", "+ 9998 years", dict(years=9998)),
             (date(2026, 11, 20), "1 year, 2 months and 3 days", "+ 1 year 2 months 3 days", dict(years=1, months=2, days=3)),
             (date(2026, 11, 20), "1,000 days", "+ 1000 days", dict(days=1000))]:
    add_days(*args[:3], **args[3])
for start in (date(2026, 11, 27), date(2026, 11, 28), date(2026, 11, 29), date(2026, 11, 30)):
    for amount in (1, 5, 11, -1, -5, -11):
        unit = "business day" if abs(amount) == 1 else "business days"
        add_business_days(start, amount, f"{amount} {unit}", f"{'-' if amount < 0 else '+'} {abs(amount)} {unit}")
for text, amount in [("10 working days", 10), ("3 workdays", 3), ("-4 weekdays", -4), ("a business day", 1), ("five business days", 5), ("1,000 business days", 1000)]:
    unit = "business day" if abs(amount) == 1 else "business days"
    add_business_days(date(2026, 11, 20), amount, text, f"{'-' if amount < 0 else '+'} {abs(amount)} {unit}")
for text, shown, minutes in [("90 minutes", "+ 90 minutes", 90), ("1h30m", "+ 1 hour 30 minutes", 90), ("1.5 hours", "+ 1 hour 30 minutes", 90), ("two hours", "+ 2 hours", 120),
                             ("-PT36H", "- 36 hours", -36 * 60)]:
    add_time(T(2026, 11, 20, 22, 30), "Tokyo", text, shown, real=timedelta(minutes=minutes))
add_time(T(2026, 3, 7, 12, 0), "New York", "24 hours", "+ 24 hours", real=timedelta(hours=24), notes=["hours are real time"])
add_time(T(2026, 3, 7, 12, 0), "New York", "1 day", "+ 1 day", date_part=timedelta(days=1))
add_time(T(2026, 3, 7, 2, 30), "New York", "1 day", "+ 1 day", date_part=timedelta(days=1))
add_time(T(2026, 10, 31, 1, 30), "New York", "1 day", "+ 1 day", date_part=timedelta(days=1))
add_time(T(2026, 10, 3, 12, 0), "Sydney", "P1DT2H", "+ 1 day 2 hours", date_part=timedelta(days=1), real=timedelta(hours=2))
add_time(T(2011, 12, 29, 12, 0), "Apia", "1 day", "+ 1 day", date_part=timedelta(days=1))

# Weekdays
for moment in [date(2026, 3, 1), date(2024, 2, 29), date(9999, 12, 31)]:
    weekday(moment)
weekday(date(1066, 10, 14), notes=["Gregorian calendar carried back"])
weekday(date(1776, 7, 4), "4 July 1776")
weekday(date(2026, 11, 20), "today", notes=["that of UTC"])
weekday(date(2026, 11, 21), "today", zone="Tokyo")
weekday(date(2026, 11, 19), "yesterday", zone="Honolulu")
weekday(date(2027, 1, 3), "3 January", ["No year was given: 2027, the next one"])
weekday(date(2028, 2, 29), "February 29th", ["No year was given: 2028, the next one"])
weekday(date(2026, 5, 3), "Sunday 05/03/2026")
weekday(date(2026, 3, 5), "Thursday 05/03/2026")
weekday(date(2026, 12, 25), "25/12/2026")
weekday(date(2026, 12, 25), "Fri 12/25/2026")
for text in ("25.08.2026", "Tuesday, 25-8-2026", "08.25.2026", "2026.08.25"):
    weekday(date(2026, 8, 25), text)
weekday(date(2026, 8, 8), "8.8.2026")
weekday(date(2026, 4, 4), "4/4/2026")
for days in (0, 4):
    asked = datetime(2026, 11, 16 + days, 12, tzinfo=timezone.utc)
    today = asked.date()
    weekday(today + relativedelta(weekday=FR), "Friday", ['"Friday" is read as'], asked, zone="UTC")
    weekday(today + relativedelta(weekday=FR), "this Friday", ['"this Friday" is read as'], asked, zone="UTC")
    weekday(today + relativedelta(days=-1, weekday=SA(-1)), "last Saturday", ['"last Saturday" is read as'], asked, zone="UTC")
# On a Friday the first one after today is next week's too
weekday(today + relativedelta(days=1, weekday=FR(1)), "next Friday", ['"next Friday" is read as'], asked, zone="UTC")

names = [entry["name"] for entry in cases]
assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
document = {"now": NOW.isoformat().replace("+00:00", "Z"), "cases": cases}
target = pathlib.Path(__file__).with_suffix(".json")
target.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
print(len(cases), "cases")
