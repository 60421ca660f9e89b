"""Writes time.json: questions for the time tool and the lines it must answer with.

Every expected value is worked out here, by Python's datetime and zoneinfo and by dateutil's relativedelta, and by
nothing the tool itself uses. Which zone a name means (ZONES) is written down by hand.

Zone data: the file was made with the system's tzdata 2025b, and again with tzdata 2026d, with the same result;
Node 24 holds 2026c (process.versions.tz), between the two. Zones whose rules changed meanwhile (British Columbia,
Alberta, Morocco) and dates before 1970 in zones that only one of them keeps are left out.
So are spans in months that begin on a day the last month lacks (31 January to 28 February): dateutil calls that one
month, Temporal 28 days, and both can be defended.

Run: python3 test/data/time.py (Python 3.11, python-dateutil 2.9). To use other zone data, set PYTHONTZPATH.
"""

import json
import pathlib
from datetime import date, datetime, time, timedelta, timezone
from email.utils import format_datetime
from zoneinfo import ZoneInfo

from dateutil.relativedelta import FR, MO, SU, TH, TU, WE, relativedelta
from dateutil.rrule import DAILY, rrule

NOW = datetime(2026, 11, 20, 23, 18, 3, tzinfo=timezone.utc)
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def iana(label, name):
    return (label, name, ZoneInfo(name))


def fixed(label, detail, hours, minutes=0):
    return (label, detail, timezone(timedelta(hours=hours, minutes=minutes)))


UTC = ("UTC", "", timezone.utc)
ZONES = {
    "UTC": [UTC], "Z": [UTC], "utc": [UTC], "Zulu": [UTC], "Etc/UTC": [UTC],
    "GMT": [("GMT", "", timezone.utc)],
    "UTC+5:30": [fixed("UTC+05:30", "", 5, 30)], "+05:30": [fixed("UTC+05:30", "", 5, 30)],
    "GMT-3": [fixed("UTC-03:00", "", -3)], "-0800": [fixed("UTC-08:00", "", -8)],
    "UTC−9": [fixed("UTC-09:00", "", -9)], "utc +14": [fixed("UTC+14:00", "", 14)],
    "Etc/GMT+5": [fixed("UTC-05:00", "", -5)], "Etc/GMT-14": [fixed("UTC+14:00", "", 14)],
    "BST": [fixed("BST", "British Summer Time", 1), fixed("BST", "Bangladesh Standard Time", 6)],
    "IST": [fixed("IST", "India Standard Time", 5, 30), fixed("IST", "Israel Standard Time", 2),
            fixed("IST", "Irish Standard Time", 1)],
    "CST": [fixed("CST", "Central Standard Time, North America", -6), fixed("CST", "China Standard Time", 8)],
    "AST": [fixed("AST", "Atlantic Standard Time", -4), fixed("AST", "Arabia Standard Time", 3)],
    "GST": [fixed("GST", "Gulf Standard Time", 4), fixed("GST", "South Georgia Time", -2)],
    "SST": [fixed("SST", "Samoa Standard Time", -11), fixed("SST", "Singapore Standard Time", 8)],
    "AMT": [fixed("AMT", "Amazon Time", -4), fixed("AMT", "Armenia Time", 4)],
    "ECT": [fixed("ECT", "Ecuador Time", -5), fixed("ECT", "Eastern Caribbean Time", -4)],
    "WST": [fixed("WST", "Western Standard Time, Australia", 8), fixed("WST", "West Samoa Time", 13)],
    "ADT": [fixed("ADT", "Atlantic Daylight Time", -3), fixed("ADT", "Arabia Daylight Time", 4)],
    "EST": [fixed("EST", "Eastern Standard Time", -5)], "EDT": [fixed("EDT", "Eastern Daylight Time", -4)],
    "PST": [fixed("PST", "Pacific Standard Time", -8)], "CET": [fixed("CET", "Central European Time", 1)],
    "CEST": [fixed("CEST", "Central European Summer Time", 2)], "JST": [fixed("JST", "Japan Standard Time", 9)],
    "MSK": [fixed("MSK", "Moscow Standard Time", 3)],
    "AEST": [fixed("AEST", "Australian Eastern Standard Time", 10)],
    "AEDT": [fixed("AEDT", "Australian Eastern Daylight Time", 11)],
    "Asia/Calcutta": [iana("Kolkata", "Asia/Kolkata")], "US/Eastern": [iana("New York", "America/New_York")],
    "Europe/Kiev": [iana("Kyiv", "Europe/Kyiv")], "asia/katmandu": [iana("Kathmandu", "Asia/Kathmandu")],
    "Asia/Saigon": [iana("Ho Chi Minh", "Asia/Ho_Chi_Minh")], "GB": [iana("London", "Europe/London")],
    "EST5EDT": [iana("New York", "America/New_York")], "NZ-CHAT": [iana("Chatham", "Pacific/Chatham")],
    "america/new york": [iana("New York", "America/New_York")], "AMERICA/SAO_PAULO": [iana("Sao Paulo", "America/Sao_Paulo")],
    "Asia/Tokyo": [iana("Tokyo", "Asia/Tokyo")], "Australia/Lord_Howe": [iana("Lord Howe", "Australia/Lord_Howe")],
    "America/Argentina/Ushuaia": [iana("Ushuaia", "America/Argentina/Ushuaia")],
    "Japan": [iana("Japan", "Asia/Tokyo")], "Germany": [iana("Germany", "Europe/Berlin")],
    "France": [iana("France", "Europe/Paris")], "India": [iana("India", "Asia/Kolkata")],
    "Georgia": [iana("Georgia, the country", "Asia/Tbilisi"), iana("Georgia, the US state", "America/New_York")],
    "Springfield": [iana("Springfield, Illinois or Missouri", "America/Chicago"),
                    iana("Springfield, Massachusetts", "America/New_York")],
    "Birmingham": [iana("Birmingham, England", "Europe/London")],
    "Portland, Maine": [iana("Portland, Maine", "America/New_York")],
    "London, Ontario": [iana("London Ontario", "America/Toronto")],
    "San Jose, CA": [iana("San Jose, California", "America/Los_Angeles")],
    "Eastern Time": [iana("Eastern Time", "America/New_York")], "PT": [iana("Pacific Time", "America/Los_Angeles")],
    "Tokyo time": [iana("Tokyo", "Asia/Tokyo")],
}
CITIES = {  # asked name: (shown name, zone)
    "Tokyo": ("Tokyo", "Asia/Tokyo"), "New York": ("New York", "America/New_York"), "NYC": ("New York", "America/New_York"),
    "LA": ("Los Angeles", "America/Los_Angeles"), "Bombay": ("Mumbai", "Asia/Kolkata"), "peking": ("Beijing", "Asia/Shanghai"),
    "Kiev": ("Kyiv", "Europe/Kyiv"), "St. Petersburg": ("Saint Petersburg", "Europe/Moscow"),
    "Washington DC": ("Washington DC", "America/New_York"), "New York City": ("New York", "America/New_York"),
    "Sao Paulo": ("São Paulo", "America/Sao_Paulo"), "SÃO PAULO": ("São Paulo", "America/Sao_Paulo"),
    "London": ("London", "Europe/London"), "Paris": ("Paris", "Europe/Paris"), "Berlin": ("Berlin", "Europe/Berlin"),
    "Sydney": ("Sydney", "Australia/Sydney"), "Auckland": ("Auckland", "Pacific/Auckland"), "Cairo": ("Cairo", "Africa/Cairo"),
    "Kathmandu": ("Kathmandu", "Asia/Kathmandu"), "Tehran": ("Tehran", "Asia/Tehran"), "Kabul": ("Kabul", "Asia/Kabul"),
    "Adelaide": ("Adelaide", "Australia/Adelaide"), "Eucla": ("Eucla", "Australia/Eucla"),
    "Chatham Islands": ("Chatham Islands", "Pacific/Chatham"), "Lord Howe Island": ("Lord Howe Island", "Australia/Lord_Howe"),
    "Kiritimati": ("Kiritimati", "Pacific/Kiritimati"), "Apia": ("Apia", "Pacific/Apia"), "Pago Pago": ("Pago Pago", "Pacific/Pago_Pago"),
    "Honolulu": ("Honolulu", "Pacific/Honolulu"), "St. John's": ("St. John's, Newfoundland", "America/St_Johns"),
    "Santiago": ("Santiago, Chile", "America/Santiago"), "Zurich": ("Zürich", "Europe/Zurich"), "muenchen": ("Munich", "Europe/Berlin"),
    "Saigon": ("Ho Chi Minh City", "Asia/Ho_Chi_Minh"), "Rangoon": ("Yangon", "Asia/Yangon"), "Nairobi": ("Nairobi", "Africa/Nairobi"),
    "Lagos": ("Lagos", "Africa/Lagos"), "Chicago": ("Chicago", "America/Chicago"), "Denver": ("Denver", "America/Denver"),
    "Phoenix": ("Phoenix", "America/Phoenix"), "Moscow": ("Moscow", "Europe/Moscow"), "Dubai": ("Dubai", "Asia/Dubai"),
    "Ulan Bator": ("Ulaanbaatar", "Asia/Ulaanbaatar"), "Nuku'alofa": ("Nuku'alofa", "Pacific/Tongatapu"),
    "Havana": ("Havana", "America/Havana"), "Beirut": ("Beirut", "Asia/Beirut"), "Dublin": ("Dublin", "Europe/Dublin"),
    "Jerusalem": ("Jerusalem", "Asia/Jerusalem"), "Asunción": ("Asunción", "America/Asuncion"),
}
for asked, (label, name) in CITIES.items():
    ZONES[asked] = [iana(label, name)]

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


def readings(naive, tz):
    """The moments a local time can mean: one, the two of a repeated hour, or the two beside a skipped one."""
    first, second = naive.replace(tzinfo=tz, fold=0), naive.replace(tzinfo=tz, fold=1)
    real = [m.astimezone(timezone.utc).astimezone(tz) for m in (first, second)]
    if first.utcoffset() == second.utcoffset():
        return "one", [real[0]]
    return ("repeated" if real[0].replace(tzinfo=None, fold=0) == naive else "skipped"), real


def at(moment, zone):
    return moment.astimezone(timezone.utc).astimezone(zone[2])


def now(*names, notes=()):
    lines = []
    for name in names:
        for zone in ZONES[name]:
            label, detail, _ = zone
            title = f"{label} ({detail})" if detail else label
            moment = at(NOW, zone)
            lines.append(f"{title}: {day(moment)} {clock(moment, True)} {offset(moment)}")
    case("now in " + ", ".join(names), {"operation": "now", "zones": list(names)}, lines, notes)


def convert(naive, source, *targets, text=None, notes=(), from_zone=True):
    """`naive` in `source` to `targets`; `text` when the time is written otherwise than in ISO form."""
    lines, kinds = [], set()
    for zone in ZONES[source]:
        kind, moments = readings(naive, zone[2])
        kinds.add(kind)
        for moment in moments:
            for target in targets:
                for there in ZONES[target]:
                    lines.append(f"{full(moment, zone)} = {full(at(moment, there), there)}")
    facts = {"one": [], "repeated": ["happens twice"], "skipped": ["does not exist"]}
    written = text or naive.isoformat()
    args = {"operation": "convert", "time": written, "to_zones": list(targets)}
    if from_zone:
        args["from_zone"] = source
    wanted = [fact for kind in sorted(kinds) for fact in facts[kind]]
    case(f"convert {written} from {source} to {', '.join(targets)}", args, lines, [*wanted, *notes])


def number(value):
    return f"{value:.6f}".rstrip("0").rstrip(".")


def count(value, unit):
    return f"{number(value)} {unit[:-1] if abs(value) == 1 else unit}"


def span(parts):
    return ", ".join(count(abs(value), unit) for unit, value in parts if value)


def units(delta):
    return [(unit, getattr(delta, unit)) for unit in ("years", "months", "days", "hours", "minutes", "seconds")]


def days_between(start, end):
    delta, days = relativedelta(end, start), (end - start).days
    back = " back" if days < 0 else ""
    weeks = f" = {span([('weeks', abs(days) // 7), ('days', abs(days) % 7)])}{back}" if abs(days) >= 7 else ""
    business = len(list(rrule(DAILY, dtstart=min(start, end), until=max(start, end), byweekday=(MO, TU, WE, TH, FR))))
    business -= max(start, end).weekday() < 5
    tail = " back (the end is before the start)" if days < 0 else ""
    lines = [
        f"From {day(start)} to {day(end)}",
        f"Calendar: {span(units(delta)) or '0 days'}{tail}",
        f"Total: {count(days, 'days')}{weeks}",
    ]
    args = {"operation": "difference", "start": day(start)[-10:], "end": day(end)[-10:]}
    case(f"days from {start} to {end}", args, lines, [f"Business days in between: {business} "])


def spans(first, second, zones, start, end, by=""):
    """The lines of a difference between two moments."""
    seconds = (second.astimezone(timezone.utc) - first.astimezone(timezone.utc)).total_seconds()
    size = abs(int(seconds))
    words = [("days", size // 86400), ("hours", size // 3600 % 24), ("minutes", size // 60 % 60), ("seconds", size % 60)]
    totals = [span(words) or "0 seconds"] + [count(size / unit, name) for unit, name in [(3600, "hours"), (60, "minutes"), (1, "seconds")] if size >= unit]
    back = " back (the end is before the start)" if seconds < 0 else ""
    return [
        f"From {full(first, zones[0])} to {full(second, zones[1])}",
        f"Calendar: {span(units(relativedelta(end, start))) or '0 seconds'}{back}{by}",
        f"Total: {' = '.join(dict.fromkeys(totals))}{' back' if seconds < 0 else ''}",
    ]


def time_between(start, end, name, notes=()):
    """Both in one zone. The calendar form is relativedelta's, which holds where the last day has no clock change."""
    zone = ZONES[name][0]
    first, second = start.replace(tzinfo=zone[2]), end.replace(tzinfo=zone[2])
    args = {"operation": "difference", "start": start.isoformat(), "end": end.isoformat(), "from_zone": name}
    case(f"time from {start} to {end} in {name}", args, spans(first, second, (zone, zone), start, end), notes)


def clocks_between(start, first_name, end, second_name, now):
    """From a time of day, today's where it is, to the next one of another; no clock changes near."""
    zones = [ZONES[name][0] for name in (first_name, second_name)]
    first = datetime.combine(at(now, zones[0]).date(), start, zones[0][2])
    second = datetime.combine(at(first, zones[1]).date(), end, zones[1][2])
    if second < first:
        second = datetime.combine(second.date() + timedelta(days=1), end, zones[1][2])
    texts = [f"{moment:%H:%M} {name}" for moment, name in ((start, first_name), (end, second_name))]
    by = f" (by the clock of {zones[0][0]} ({zones[0][1]}))" if first_name != second_name else ""
    there = at(second, zones[0]).replace(tzinfo=None)
    lines = spans(first, second, zones, first.replace(tzinfo=None), there, by)
    args = {"operation": "difference", "start": texts[0], "end": texts[1]}
    case(f"{texts[0]} to {texts[1]}, asked {now:%d. %H:%M}", args, lines, now=now)


def until(end, name, now):
    """From now to the next such time of day."""
    zone = ZONES[name][0]
    second = datetime.combine(at(now, zone).date(), end, zone[2])
    if second < now:
        second = datetime.combine(second.date() + timedelta(days=1), end, zone[2])
    start = at(now, zone)
    lines = spans(start, second, (zone, zone), start.replace(tzinfo=None), second.replace(tzinfo=None))
    args = {"operation": "difference", "start": "now", "end": f"{end:%H:%M}", "from_zone": name}
    case(f"until {end:%H:%M} {name}, asked {now:%d. %H:%M}", args, lines, now=now)


def since(start, name, now):
    """From the last such time of day to now."""
    zone = ZONES[name][0]
    first = datetime.combine(at(now, zone).date(), start, zone[2])
    if first > now:
        first = datetime.combine(first.date() - timedelta(days=1), start, zone[2])
    end = at(now, zone)
    lines = spans(first, end, (zone, zone), first.replace(tzinfo=None), end.replace(tzinfo=None))
    args = {"operation": "difference", "start": f"{start:%H:%M}", "end": "now", "from_zone": name}
    case(f"since {start:%H:%M} {name}, asked {now:%d. %H:%M}", args, lines, now=now)


def named_day(text, wanted, now, notes=()):
    """A day by its name, as the weekday operation reads it in UTC."""
    year, week, number_ = wanted.isocalendar()
    iso, length = f"{year:04}-W{week:02}", (date(wanted.year, 12, 31) - date(wanted.year, 1, 1)).days + 1
    line = (f"{day(wanted)[-10:]} is a {WEEKDAYS[wanted.weekday()]}, in ISO week {iso} ({iso}-{number_}), "
            f"day {wanted.timetuple().tm_yday} of {length}.")
    args = {"operation": "weekday", "time": text, "from_zone": "UTC"}
    case(f"{text}, asked {now:%Y-%m-%d}", args, [line], notes, now)


def business(start, count_, text):
    """The working days after a day, or before it, as dateutil's rrule lists them."""
    past = start - timedelta(days=abs(count_) * 3 + 7)
    days = [d.date() for d in rrule(DAILY, dtstart=past, until=start + timedelta(days=abs(count_) * 3 + 7), byweekday=(MO, TU, WE, TH, FR))]
    ahead = [d for d in days if d > start] if count_ > 0 else [d for d in reversed(days) if d < start]
    end = ahead[abs(count_) - 1]
    shown = f"{'+' if count_ > 0 else '-'} {count(abs(count_), 'business days')}"
    args = {"operation": "add", "time": day(start)[-10:], "duration": text}
    case(f"{start} plus {text}", args, [f"{day(start)} {shown} = {day(end)}"], ["holidays are not excluded"])


def gap(first, second, notes=()):
    """How far apart the clocks of two places stand at NOW."""
    one, other = ZONES[first][0], ZONES[second][0]
    here, there = at(NOW, one), at(NOW, other)
    size = (here.utcoffset() - there.utcoffset()).total_seconds()
    words = span([("hours", abs(size) // 3600), ("minutes", abs(size) // 60 % 60)])
    relation = "at the same time as" if size == 0 else f"{words} {'ahead of' if size > 0 else 'behind'}"
    place = lambda moment, zone: full(moment, zone).removeprefix(f"{day(moment)} {clock(moment)} ")
    line = f"{place(here, one)} is {relation} {place(there, other)}."
    case(f"from {first} to {second}", {"operation": "difference", "start": first, "end": second}, [line], notes)


def add_days(start, text, shown, notes=(), **delta):
    end = start + relativedelta(**delta)
    lines = [f"{day(start)} {shown} = {day(end)}"]
    case(f"{start} plus {text}", {"operation": "add", "time": day(start)[-10:], "duration": text}, lines, notes)


def add_time(start, name, text, shown, date_part=None, real=None, notes=()):
    """Moves the date on the local clock by `date_part`, then adds the real time `real`."""
    zone = ZONES[name][0]
    begun = readings(start, zone[2])[1][0]
    kind, moved = readings(start + date_part, zone[2]) if date_part else ("one", [begun])
    ends = [(m.astimezone(timezone.utc) + (real or timedelta())).astimezone(zone[2]) for m in moved]
    lines = [f"{full(begun, zone)} {shown} = {full(end, zone)}" for end in ends]
    args = {"operation": "add", "time": start.isoformat(), "from_zone": name, "duration": text}
    facts = {"one": [], "repeated": ["happens twice"], "skipped": ["does not exist"]}[kind]
    case(f"{start} in {name} plus {text}", args, lines, [*facts, *notes])


def weekday(moment, text=None, notes=(), **more):
    year, week, number_ = moment.isocalendar()
    iso = f"{year:04}-W{week:02}"
    length = (date(moment.year, 12, 31) - date(moment.year, 1, 1)).days + 1
    ordinal = moment.timetuple().tm_yday
    line = (f"{day(moment)[-10:]} is a {WEEKDAYS[moment.weekday()]}, in ISO week {iso} ({iso}-{number_}), "
            f"day {ordinal} of {length}.")
    written = text or day(moment)[-10:]
    where = "".join(f" in {name}" for name in more.values())
    case(f"weekday of {written}{where}", {"operation": "weekday", "time": written, **more}, [line], notes)


def T(*parts):
    return datetime(*parts)


# The present
for names in [("Tokyo",), ("New York", "London", "Sydney"), ("UTC",), ("Kathmandu",), ("Chatham Islands",), ("Kiritimati",),
              ("Pago Pago",), ("Eucla",), ("Lord Howe Island",), ("Z", "GMT", "Zulu"), ("Zurich", "muenchen"),
              ("NYC", "LA", "Bombay", "peking", "Kiev"), ("St. Petersburg", "Washington DC", "New York City"),
              ("Sao Paulo", "SÃO PAULO"), ("Japan", "Germany", "France", "India"), ("UTC+5:30", "GMT-3", "+05:30", "-0800"),
              ("UTC−9", "utc +14"), ("JST", "MSK", "AEDT"), ("Nairobi", "Lagos", "Cairo"), ("PT", "Eastern Time", "Tokyo time"),
              ("Saigon", "Rangoon", "Ulan Bator"), ("Nuku'alofa",), ("Portland, Maine", "London, Ontario", "San Jose, CA"),
              ("Etc/UTC",), ("america/new york", "AMERICA/SAO_PAULO"), ("America/Argentina/Ushuaia",), ("Asunción",)]:
    now(*names)
for alias, target in [("Asia/Calcutta", "Asia/Kolkata"), ("US/Eastern", "America/New_York"), ("Europe/Kiev", "Europe/Kyiv"),
                      ("asia/katmandu", "Asia/Kathmandu"), ("Asia/Saigon", "Asia/Ho_Chi_Minh"), ("GB", "Europe/London"),
                      ("EST5EDT", "America/New_York"), ("NZ-CHAT", "Pacific/Chatham")]:
    now(alias, notes=[f"alias of {target}"])
now("Etc/GMT+5", notes=["sign reversed", "is UTC-05:00"])
now("Etc/GMT-14", notes=["sign reversed", "is UTC+14:00"])
for short in ["BST", "IST", "CST", "AST", "GST", "SST", "AMT", "ECT", "WST", "ADT"]:
    now(short, notes=[f'"{short}" is ambiguous'])
for both in ["Georgia", "Springfield"]:
    now(both, notes=[f'"{both}" may be', "each is answered"])
now("St. John's", notes=["St. John's, Antigua is America/Antigua"])
now("Birmingham", notes=["Birmingham, Alabama is America/Chicago"])
now("EDT", notes=["America/New_York is at UTC-05:00 then, where it is Friday 2026-11-20 18:18:03"])
now("PST", notes=["Philippine Standard Time"])

# Conversions
for source, targets in [("New York", ("London", "Tokyo")), ("Sydney", ("UTC",)), ("UTC", ("Kathmandu", "Kabul", "Tehran"))]:
    convert(T(2026, 11, 20, 15, 0), source, *targets)
for naive in [T(2026, 1, 1, 0, 0), T(2025, 12, 31, 23, 59, 59), T(2024, 2, 29, 12, 0), T(2028, 2, 28, 23, 0), T(2000, 2, 29, 23, 30)]:
    convert(naive, "London", "Auckland", "Honolulu")
convert(T(2026, 6, 15, 12, 0), "Apia", "Pago Pago", "Kiritimati")
convert(T(2026, 7, 1, 9, 0), "Adelaide", "Eucla", "Chatham Islands")
convert(T(2011, 12, 29, 23, 59), "Apia", "UTC")
convert(T(2011, 12, 31, 0, 0), "Apia", "Pago Pago")
convert(T(1994, 12, 30, 12, 0), "Kiritimati", "Honolulu")
convert(T(2026, 11, 20, 15, 0), "Etc/GMT+5", "UTC", notes=["sign reversed"])
convert(T(2026, 1, 15, 12, 0), "EST", "London")
convert(T(2026, 7, 15, 12, 0), "EST", "London",
        notes=["always UTC-05:00", "America/New_York is at UTC-04:00 then, where it is Wednesday 2026-07-15 13:00"])
convert(T(2026, 7, 15, 12, 0), "CET", "Tokyo", notes=["Europe/Paris is at UTC+02:00 then"])
convert(T(2026, 1, 15, 12, 0), "AEST", "Tokyo", notes=["Australia/Sydney is at UTC+11:00 then"])
convert(T(2026, 7, 15, 12, 0), "CST", "UTC", notes=['"CST" is ambiguous', "America/Chicago is at UTC-05:00 then"])
convert(T(2026, 7, 15, 12, 0), "UTC", "IST", notes=['"IST" is ambiguous', "Asia/Jerusalem is at UTC+03:00 then"])
convert(T(2026, 7, 15, 12, 0), "BST", "New York", notes=['"BST" is ambiguous'])
# Skipped and repeated, north and south, whole hours and half hours, at midnight and over a whole day
for naive, name in [(T(2026, 3, 8, 2, 30), "New York"), (T(2026, 11, 1, 1, 30), "New York"), (T(2026, 3, 29, 1, 30), "London"),
                    (T(2026, 10, 25, 1, 0), "London"), (T(2026, 10, 25, 2, 59, 59), "Berlin"), (T(2026, 3, 29, 2, 0), "Berlin"),
                    (T(2026, 10, 4, 2, 15), "Sydney"), (T(2026, 4, 5, 2, 15), "Sydney"), (T(2026, 9, 27, 2, 30), "Auckland"),
                    (T(2026, 4, 5, 2, 45), "Auckland"), (T(2026, 10, 4, 2, 15), "Lord Howe Island"),
                    (T(2026, 4, 5, 1, 45), "Lord Howe Island"), (T(2026, 9, 27, 3, 0), "Chatham Islands"),
                    (T(2026, 4, 5, 3, 30), "Chatham Islands"), (T(2026, 3, 8, 0, 30), "Havana"), (T(2026, 11, 1, 0, 30), "Havana"),
                    (T(2026, 9, 6, 0, 30), "Santiago"), (T(2026, 4, 4, 23, 30), "Santiago"), (T(2018, 11, 4, 0, 15), "Sao Paulo"),
                    (T(2018, 2, 17, 23, 15), "Sao Paulo"), (T(2011, 12, 30, 12, 0), "Apia"), (T(2025, 3, 28, 2, 30), "Jerusalem"),
                    (T(2025, 3, 30, 0, 30), "Beirut"), (T(2026, 3, 29, 1, 15), "Dublin"), (T(2026, 10, 25, 1, 15), "Dublin"),
                    (T(2014, 10, 26, 1, 30), "Moscow"), (T(1986, 1, 1, 0, 5), "Kathmandu"), (T(2007, 11, 4, 1, 30), "Denver")]:
    convert(naive, name, "UTC")
# The last moments before a change and the first after it
for naive, name in [(T(2026, 3, 8, 1, 59, 59), "New York"), (T(2026, 3, 8, 3, 0), "New York"), (T(2026, 11, 1, 2, 0), "New York"),
                    (T(2026, 11, 1, 0, 59, 59), "New York"), (T(2026, 10, 4, 2, 30), "Lord Howe Island"), (T(2026, 4, 5, 2, 0), "Lord Howe Island")]:
    convert(naive, name, "UTC")
# Historic dates and the far future
convert(T(1945, 5, 8, 23, 1), "Berlin", "London", "New York", "Moscow")
convert(T(1969, 7, 20, 20, 17, 40), "UTC", "Chicago", "Sydney")
convert(T(1883, 11, 18, 12, 0), "UTC", "New York")
convert(T(1850, 6, 1, 12, 0), "Paris", "UTC")
convert(T(1900, 1, 1, 0, 0), "London", "New York")
convert(T(1, 1, 2, 0, 0), "UTC", "Tokyo")
convert(T(2035, 7, 1, 12, 0), "New York", "Berlin")
convert(T(2100, 7, 1, 12, 0), "London", "New York", notes=["may still change"])
convert(T(2500, 1, 1, 12, 0), "Sydney", "Berlin", notes=["may still change"])
# Ways to write a time
for text in ["2026-03-01T15:00", "2026-03-01 3pm", "2026-03-01 15:00", "March 1, 2026 3:00 PM", "1 March 2026 at 15:00", "2026/3/1 15:00",
             "15:00 on March 1st, 2026", "Sunday, March 1, 2026 3 p.m.", "20260301T1500", "2026-W09-7T15:00", "3pm, 1 Mar 2026",
             "Sun 01 Mar 2026 15:00:00", "2026-03-01 15h00", "the 1st of March 2026, 15:00"]:
    convert(T(2026, 3, 1, 15, 0), "London", "Tokyo", text=text)
convert(T(2026, 3, 1, 12, 0), "London", "Tokyo", text="2026-03-01 noon")
convert(T(2026, 3, 1, 0, 0), "London", "Tokyo", text="2026-03-01 midnight")
convert(T(2026, 3, 1, 0, 0), "London", "Tokyo", text="2026-03-01 12am")
convert(T(2026, 3, 1, 12, 30), "London", "Tokyo", text="2026-03-01 12:30 pm")
convert(T(2026, 3, 2, 0, 0), "London", "Tokyo", text="2026-03-01T24:00")
convert(T(2026, 12, 25, 8, 0), "London", "Tokyo", text="25/12/2026 8am")
convert(T(2026, 12, 25, 8, 0), "London", "Tokyo", text="12/25/2026 8am")
convert(T(2026, 3, 1, 0, 0), "London", "Tokyo", text="2026-03-01", notes=["00:00 is assumed"])
convert(T(2026, 11, 21, 15, 0), "Tokyo", "UTC", text="15:00", notes=["today's is assumed, Saturday 2026-11-21"])
convert(T(2026, 11, 20, 15, 30), "New York", "UTC", text="3:30 pm", notes=["today's is assumed, Friday 2026-11-20"])
convert(T(2026, 11, 20, 18, 0), "New York", "UTC", text="6 in the evening")
convert(T(2026, 11, 20, 8, 30), "New York", "UTC", text="8:30 in the morning")
convert(T(2026, 11, 22, 9, 0), "Tokyo", "UTC", text="tomorrow 9am")
convert(T(2026, 11, 19, 12, 0), "Honolulu", "UTC", text="noon yesterday")
convert(T(2026, 11, 21, 0, 0), "Tokyo", "London", text="today midnight")
convert(T(2026, 12, 24, 18, 0), "Berlin", "London", text="24 December 18:00", notes=["2026 is assumed"])
for text, source in [("2026-03-01T15:00Z", "UTC"), ("2026-03-01T15:00+05:30", "UTC+5:30"), ("2026-03-01 15:00 Tokyo", "Tokyo"),
                     ("2026-03-01 3pm JST", "JST"),
                     ("2026-03-01T15:00+01:00[Europe/Paris]", "Paris"), ("2026-03-01T15:00[Asia/Tokyo]", "Asia/Tokyo"),
                     ("2026-03-01 15:00 (Kathmandu)", "Kathmandu"), ("Sun, 01 Mar 2026 15:00:00 GMT", "GMT")]:
    convert(T(2026, 3, 1, 15, 0), source, "London", text=text, from_zone=False)
convert(T(2026, 11, 20, 23, 18, 3), "UTC", "Tokyo", text="now", from_zone=False)
convert(T(2023, 11, 14, 22, 13, 20), "UTC", "Tokyo", text="@1700000000", from_zone=False, notes=["Unix time"])

# Differences
for start, end in [(date(2026, 3, 1), date(2026, 5, 4)), (date(2026, 5, 4), date(2026, 3, 1)), (date(2024, 2, 28), date(2024, 3, 1)),
                   (date(2025, 2, 28), date(2025, 3, 1)), (date(2000, 2, 29), date(2026, 3, 1)), (date(1969, 7, 20), date(2026, 11, 20)),
                   (date(2026, 1, 1), date(2026, 1, 1)), (date(2026, 1, 1), date(2026, 1, 2)), (date(2025, 12, 31), date(2026, 1, 1)),
                   (date(1, 1, 1), date(9999, 12, 31)), (date(1582, 10, 4), date(1582, 10, 15)), (date(1900, 2, 28), date(1900, 3, 1)),
                   (date(2026, 1, 31), date(2026, 3, 31)), (date(2026, 12, 25), date(2026, 11, 20)), (date(1789, 7, 14), date(1815, 6, 18))]:
    days_between(start, end)
time_between(T(2026, 3, 28, 12, 0), T(2026, 3, 29, 12, 0), "Berlin", ["further ahead"])
time_between(T(2026, 10, 24, 12, 0), T(2026, 10, 25, 12, 0), "Berlin", ["further back"])
time_between(T(2026, 4, 4, 12, 0), T(2026, 4, 5, 12, 0), "Lord Howe Island", ["0.5 h further back"])
time_between(T(2026, 1, 1, 0, 0), T(2026, 7, 1, 0, 0), "New York", ["1 h further ahead"])
time_between(T(2026, 11, 20, 8, 30), T(2026, 11, 20, 17, 45, 30), "Tokyo")
time_between(T(2026, 11, 20, 17, 0), T(2026, 11, 18, 16, 0), "Tokyo")
time_between(T(2025, 12, 31, 23, 0), T(2026, 1, 1, 1, 30), "London")
time_between(T(2024, 2, 29, 6, 0), T(2026, 3, 1, 6, 0), "Kathmandu")
time_between(T(1999, 12, 31, 23, 59, 59), T(2038, 1, 19, 3, 14, 7), "UTC")
time_between(T(2011, 12, 29, 12, 0), T(2011, 12, 31, 12, 0), "Apia", ["24 h further ahead"])

# Durations: month ends, leap days, years, weeks, and either direction
for args in [(date(2026, 1, 31), "1 month", "+ 1 month", dict(months=1)), (date(2024, 1, 31), "1 month", "+ 1 month", dict(months=1)),
             (date(2026, 3, 31), "-1 month", "- 1 month", dict(months=-1)), (date(2024, 2, 29), "1 year", "+ 1 year", dict(years=1)),
             (date(2026, 8, 31), "P1M", "+ 1 month", dict(months=1))]:
    add_days(*args[:3], notes=["its last day"], **args[3])
for args in [(date(2024, 2, 29), "4 years", "+ 4 years", dict(years=4)), (date(2026, 11, 20), "2 weeks", "+ 2 weeks", dict(weeks=2)),
             (date(2026, 11, 20), "-2 days", "- 2 days", dict(days=-2)), (date(2026, 12, 31), "1 day", "+ 1 day", dict(days=1)),
             (date(2026, 11, 20), "100 days ago", "- 100 days", dict(days=-100)), (date(2000, 1, 1), "P1Y2M10D", "+ 1 year 2 months 10 days", dict(years=1, months=2, days=10)),
             (date(2026, 3, 1), "minus 1 week", "- 1 week", dict(weeks=-1)), (date(2026, 11, 20), "three months", "+ 3 months", dict(months=3)),
             (date(1, 1, 1), "9998 years", "+ 9998 years", dict(years=9998)), (date(2026, 11, 20), "a fortnight", "+ 2 weeks", dict(weeks=2)),
             (date(1900, 2, 28), "1 day", "+ 1 day", dict(days=1)), (date(2026, 11, 20), "1 year, 2 months and 3 days", "+ 1 year 2 months 3 days", dict(years=1, months=2, days=3))]:
    add_days(*args[:3], **args[3])
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "90 minutes", "+ 90 minutes", real=timedelta(minutes=90))
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "1h30m", "+ 1 hour 30 minutes", real=timedelta(minutes=90))
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "1.5 hours", "+ 1 hour 30 minutes", real=timedelta(minutes=90))
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "half an hour", "+ 30 minutes", real=timedelta(minutes=30))
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "-PT36H", "- 36 hours", real=timedelta(hours=-36))
add_time(T(2026, 3, 7, 12, 0), "New York", "24 hours", "+ 24 hours", real=timedelta(hours=24), notes=["hours are real time"])
add_time(T(2026, 3, 7, 12, 0), "New York", "1 day", "+ 1 day", date_part=timedelta(days=1))
add_time(T(2026, 10, 31, 12, 0), "New York", "24 hours", "+ 24 hours", real=timedelta(hours=24), notes=["hours are real time"])
add_time(T(2026, 3, 7, 2, 30), "New York", "1 day", "+ 1 day", date_part=timedelta(days=1))
add_time(T(2026, 10, 31, 1, 30), "New York", "1 day", "+ 1 day", date_part=timedelta(days=1))
add_time(T(2026, 4, 4, 1, 45), "Lord Howe Island", "P1D", "+ 1 day", date_part=timedelta(days=1))
add_time(T(2026, 10, 3, 12, 0), "Sydney", "P1DT2H", "+ 1 day 2 hours", date_part=timedelta(days=1), real=timedelta(hours=2))
add_time(T(2026, 11, 18, 9, 15), "London", "3 days 4 hours", "+ 3 days 4 hours", date_part=timedelta(days=3), real=timedelta(hours=4))
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "0.5 minutes", "+ 30 seconds", real=timedelta(seconds=30))
add_time(T(2026, 12, 31, 23, 59, 59), "UTC", "1 second", "+ 1 second", real=timedelta(seconds=1))
add_time(T(2011, 12, 29, 12, 0), "Apia", "1 day", "+ 1 day", date_part=timedelta(days=1))

# Weekdays and ISO weeks, at the turns of years with 52 and 53 weeks
for moment in [date(2026, 3, 1), date(2020, 12, 31), date(2021, 1, 1), date(2021, 1, 3), date(2021, 1, 4), date(2015, 12, 31),
               date(2016, 1, 1), date(2018, 12, 31), date(2019, 12, 30), date(2024, 12, 30), date(2026, 12, 31), date(2027, 1, 1),
               date(2027, 1, 3), date(2024, 2, 29), date(2000, 2, 29), date(1969, 7, 20), date(1900, 1, 1), date(9999, 12, 31), date(2100, 3, 1)]:
    weekday(moment)
for moment in [date(1, 1, 1), date(1066, 10, 14), date(1582, 10, 14)]:
    weekday(moment, notes=["Gregorian calendar carried back"])
weekday(date(2026, 3, 5), "March 5, 2026")
weekday(date(2026, 3, 5), "5 March 2026")
weekday(date(2026, 11, 20), "today", notes=["that of UTC"])
weekday(date(2026, 11, 21), "today", from_zone="Tokyo")
weekday(date(2026, 11, 22), "tomorrow", from_zone="Tokyo")
weekday(date(2026, 11, 19), "yesterday", from_zone="Los Angeles")
weekday(date(2020, 12, 31), "2020-W53-4")

# Times of day, asked at any hour
for hour in range(0, 24, 3):
    asked = datetime(2026, 11, 20, hour, 20, 11, tzinfo=timezone.utc)
    clocks_between(time(22), "London", time(6), "London", asked)
    clocks_between(time(9), "Tokyo", time(9), "New York", asked)
    clocks_between(time(9), "New York", time(9), "Tokyo", asked)
    clocks_between(time(8, 30), "Kathmandu", time(17, 45), "Kathmandu", asked)
    until(time(6), "UTC", asked)
    until(time(18), "Sydney", asked)
    since(time(6), "UTC", asked)
until(time(6), "UTC", datetime(2026, 11, 20, 5, 59, 11, tzinfo=timezone.utc))
until(time(6), "UTC", datetime(2026, 11, 20, 6, 0, 0, tzinfo=timezone.utc))
clocks_between(time(6), "UTC", time(6), "UTC", NOW)

# Weekdays and feasts by name
for days in range(7):
    asked = datetime(2026, 11, 16 + days, 12, tzinfo=timezone.utc)
    today = asked.date()
    ahead = ["that of next week is"] if days < 4 else []
    named_day("next Friday", today + relativedelta(days=1, weekday=FR(1)), asked, ahead)
    named_day("this Friday", today + relativedelta(weekday=FR(1)), asked)
    named_day("last Friday", today + relativedelta(days=-1, weekday=FR(-1)), asked)
    named_day("next Sunday", today + relativedelta(days=1, weekday=SU(1)), asked)
for text, wanted in [("Christmas", date(2026, 12, 25)), ("Christmas Day", date(2026, 12, 25)), ("Christmas 2027", date(2027, 12, 25)),
                     ("Christmas Eve", date(2026, 12, 24)), ("Boxing Day", date(2026, 12, 26)), ("New Year's Eve", date(2026, 12, 31)),
                     ("New Year's Day 2027", date(2027, 1, 1)), ("Valentine's Day, 2028", date(2028, 2, 14)), ("Halloween", date(2026, 10, 31)),
                     ("St. Patrick's Day", date(2026, 3, 17)), ("Bastille Day", date(2026, 7, 14)), ("Armistice Day", date(2026, 11, 11)),
                     ("All Saints' Day", date(2026, 11, 1)), ("New Year's Eve 1999", date(1999, 12, 31))]:
    named_day(text, wanted, NOW)

# Business days
for start in [date(2026, 11, 16) + timedelta(days=days) for days in range(7)]:
    for count_, text in [(1, "1 business day"), (3, "3 business days"), (5, "5 working days"), (12, "12 weekdays"), (-1, "-1 business day"), (-7, "7 business days ago")]:
        business(start, count_, text)
business(date(2026, 11, 20), 250, "250 business days")

# What programs print
for zone in ("UTC", "Tokyo"):
    moment = datetime(2026, 3, 1, 15, 4, 5, tzinfo=ZONES[zone][0][2])
    fine = moment.replace(microsecond=250000)
    plain = moment.replace(tzinfo=None)
    if zone == "UTC":
        for text in [repr(moment), repr(fine.replace(microsecond=0)), moment.strftime("%a %b %e %H:%M:%S UTC %Y"), moment.strftime("%a %b %d %I:%M:%S %p UTC %Y"),
                     moment.isoformat(" "), moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"), f'"{moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")}"',
                     moment.strftime("%a, %d %b %Y %H:%M:%S GMT").replace("GMT", "UTC"), format_datetime(moment).replace("+0000", "UTC")]:
            if text not in [entry["args"].get("time") for entry in cases]:
                convert(plain, zone, "London", text=text, from_zone=False)
        for text in [str(int(moment.timestamp())), str(moment.timestamp()), f"{int(moment.timestamp())}000", f"{int(moment.timestamp())}000000",
                     f"{int(moment.timestamp())}000000000", f"@{int(moment.timestamp())}"]:
            convert(plain, zone, "London", text=text, from_zone=False, notes=["Unix time"])
    else:
        for text in [moment.ctime(), str(plain), repr(plain), moment.strftime("%Y-%m-%dT%H:%M:%S")]:
            convert(plain, zone, "London", text=text)
        convert(plain, zone, "London", text=moment.strftime("%Y-%m-%d %H:%M:%S Asia/Tokyo"), from_zone=False)

# What other languages print: the same moment by Python's strftime, in their forms
moment = datetime(2026, 3, 1, 15, 4, 5, tzinfo=timezone.utc)
plain, seconds, parts = moment.replace(tzinfo=None), int(moment.timestamp()), "2026, 3, 1, 15, 4, 5"
iso = moment.strftime("%Y-%m-%dT%H:%M:%S")
for text in [f'new Date("{iso}Z")', f'ISODate("{iso}Z")', "Date.UTC(2026, 2, 1, 15, 4, 5)", f"Timestamp('{plain}+0000', tz='UTC')",
             f"{plain} +0000 UTC", f"{plain} +0000 UTC m=+0.0042", moment.strftime("%A, %d-%b-%y %H:%M:%S UTC"), moment.strftime("%Y%m%d%H%M%SZ"),
             f'#inst "{iso}.000Z"', f"~U[{plain}Z]", f"datetime.datetime({parts}, tzinfo=zoneinfo.ZoneInfo(key='UTC'))"]:
    convert(plain, "UTC", "London", text=text, from_zone=False)
for text in [f"new Date({seconds}000)", f"/Date({seconds}000)/", f"Time.at({seconds})", f"datetime.fromtimestamp({seconds})", f"{seconds} UTC"]:
    convert(plain, "UTC", "London", text=text, from_zone=False, notes=["Unix time"])
for text in [f"np.datetime64('{iso}')", "new Date(2026, 2, 1, 15, 4, 5)", f"LocalDateTime.of({parts})", f"DateTime.new({parts})",
             moment.strftime("%Y:%m:%d %H:%M:%S"), moment.strftime("%Y-%m-%d_%H-%M-%S"), moment.strftime("%Y%m%d_%H%M%S"),
             moment.strftime("%Y-%jT%H:%M:%S"), moment.strftime("%d-%b-%y %I.%M.%S %p").upper(), "2026年3月1日 15:04:05", "2026. 3. 1. 15:04:05",
             moment.strftime("%d/%b/%Y %H:%M:%S"), moment.strftime("%d-%b-%Y %H:%M:%S")]:
    convert(plain, "London", "Tokyo", text=text)
convert(T(2026, 3, 1), "London", "Tokyo", text="datetime.date(2026, 3, 1)")
convert(plain, "CET", "Tokyo", text="Sunday, March 1, 2026 at 3:04:05 PM Central European Standard Time", from_zone=False)
convert(T(2026, 3, 1, 15, 4), "London", "Tokyo", text="2026-03-01 1504 hours")
weekday(date(2024, 12, 31), "2024-366")

# More feasts, weeks by name, and time from now
for text, wanted in [("Xmas", date(2026, 12, 25)), ("Saint Patrick’s Day", date(2026, 3, 17)), ("st patricks day", date(2026, 3, 17)),
                     ("Valentines", date(2026, 2, 14)), ("new years eve", date(2026, 12, 31)), ("New Year's", date(2026, 1, 1)), ("NYE 2030", date(2030, 12, 31)),
                     ("April Fools", date(2026, 4, 1)), ("Cinco de Mayo", date(2026, 5, 5)), ("Canada Day", date(2026, 7, 1)), ("ANZAC Day", date(2026, 4, 25)),
                     ("St. Stephen's Day", date(2026, 12, 26)), ("Bonfire Night", date(2026, 11, 5)), ("Day of the Dead", date(2026, 11, 2)),
                     ("Groundhog Day 2027", date(2027, 2, 2)), ("International Women's Day", date(2026, 3, 8)), ("the Fourth of July", date(2026, 7, 4)),
                     ("St Nicholas' Day", date(2026, 12, 6)), ("Pi Day", date(2026, 3, 14)), ("German Unity Day", date(2026, 10, 3)), ("Christmas in 2030", date(2030, 12, 25))]:
    named_day(text, wanted, NOW)
today = NOW.date()
for text, wanted in [("Friday next week", today + relativedelta(weekday=MO(-1)) + relativedelta(days=7, weekday=FR)),
                     ("Monday of next week", today + relativedelta(weekday=MO(-1)) + relativedelta(days=7)), ("Wednesday this week", today + relativedelta(weekday=WE(-1))),
                     ("Tuesday last week", today + relativedelta(weekday=MO(-1)) + relativedelta(days=-6)), ("3 days ago", today - timedelta(3)),
                     ("in two weeks", today + timedelta(14)), ("100 days from now", today + timedelta(100)), ("2 months from today", today + relativedelta(months=2)),
                     ("5 business days ago", date(2026, 11, 13)), ("10 working days from now", date(2026, 12, 4))]:
    named_day(text, wanted, NOW)
for start in [date(2026, 11, 20), date(2026, 11, 21)]:
    for count_, text in [(2, "two workdays"), (4, "4 work days"), (6, "6 b-days"), (9, "nine banking days"), (-2, "2 trading days earlier"), (1, "a business day"),
                         (21, "twenty-one business days"), (3, "3 week days"), (-11, "minus 11 working days"), (8, "8 business-days")]:
        business(start, count_, text)
add_days(date(2026, 11, 20), "twenty-five days", "+ 25 days", days=25)
add_days(date(2026, 11, 20), "1,000 days", "+ 1000 days", days=1000)
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "two and a half hours", "+ 2 hours 30 minutes", real=timedelta(hours=2.5))
add_time(T(2026, 11, 20, 22, 30), "Tokyo", "an hour and a half", "+ 1 hour 30 minutes", real=timedelta(hours=1.5))


def until_day(text, end, now):
    """From a moment to a day by its name, which begins at 00:00 and lies ahead of it."""
    second = datetime.combine(end, time(), timezone.utc)
    zones = (UTC, UTC)
    lines = spans(now, second, zones, now.replace(tzinfo=None), second.replace(tzinfo=None))
    case(f"from now to {text}, asked {now:%d. %b %H:%M}", {"operation": "difference", "start": "now", "end": text, "from_zone": "UTC"}, lines, now=now)


for hour in (0, 9, 23):
    asked = datetime(2026, 11, 20, hour, 18, 3, tzinfo=timezone.utc)
    until_day("Friday", date(2026, 11, 27), asked)
    until_day("Saturday", date(2026, 11, 21), asked)
    until_day("20 November", date(2027, 11, 20), asked)
    until_day("Christmas", date(2027, 12, 25), datetime(2026, 12, 25, hour, 18, 3, tzinfo=timezone.utc))

# One unknown zone among others
lines = [f"{zone[0]} ({zone[1]}): {day(at(NOW, zone))} {clock(at(NOW, zone), True)} {offset(at(NOW, zone))}" for zone in (ZONES["Tokyo"][0], ZONES["London"][0])]
wrong = 'Unknown zone "Xyzzy". Write an IANA name (Asia/Tokyo), a city (Tokyo) or an offset (UTC+05:30).'
case("now in Tokyo, Xyzzy and London", {"operation": "now", "zones": ["Tokyo", "Xyzzy", "London"]}, [*lines, wrong])

# How far apart two places are; their names
ZONES["Moscow, Idaho"] = [iana("Moscow Idaho", "America/Los_Angeles")]
now("Moscow, Idaho")
for first, second, notes in [("Tokyo", "New York", ["Sunday 2027-03-14", "13 hours ahead of New York"]), ("New York", "Tokyo", ["13 hours behind Tokyo"]),
                             ("London", "UTC", ["1 hour ahead of UTC"]), ("Kathmandu", "India", []), ("Berlin", "Paris", []), ("Kiritimati", "Pago Pago", [])]:
    gap(first, second, notes)

names = [entry["name"] for entry in cases]
assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
document = {"now": NOW.isoformat().replace("+00:00", "Z"), "cases": cases}
target = pathlib.Path(__file__).with_suffix(".json")
target.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
print(len(cases), "cases")
