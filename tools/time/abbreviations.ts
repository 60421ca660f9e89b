import type { Zone, ZoneMatch } from './zone.ts'

/**
 * `ABBREVIATION offset place full name`. An abbreviation means a fixed offset; `place` is a zone that keeps it for part
 * of the year or always, so that a note can say when it does not. Several are several readings, all answered; one that
 * starts with `~` is only noted.
 */
const table = `
EST -05:00 America/New_York Eastern Standard Time | EDT -04:00 America/New_York Eastern Daylight Time
CST -06:00 America/Chicago Central Standard Time, North America | CST +08:00 Asia/Shanghai China Standard Time
~CST -05:00 America/Havana Cuba Standard Time | CDT -05:00 America/Chicago Central Daylight Time
~CDT -04:00 America/Havana Cuba Daylight Time | MST -07:00 America/Denver Mountain Standard Time
~MST +08:00 Asia/Kuala_Lumpur Malaysia Standard Time | MDT -06:00 America/Denver Mountain Daylight Time
PST -08:00 America/Los_Angeles Pacific Standard Time | ~PST +08:00 Asia/Manila Philippine Standard Time
PDT -07:00 America/Los_Angeles Pacific Daylight Time | AKST -09:00 America/Anchorage Alaska Standard Time
AKDT -08:00 America/Anchorage Alaska Daylight Time | HST -10:00 Pacific/Honolulu Hawaii Standard Time
AST -04:00 America/Halifax Atlantic Standard Time | AST +03:00 Asia/Riyadh Arabia Standard Time
ADT -03:00 America/Halifax Atlantic Daylight Time | ADT +04:00 Asia/Dubai Arabia Daylight Time
NST -03:30 America/St_Johns Newfoundland Standard Time
NDT -02:30 America/St_Johns Newfoundland Daylight Time | BRT -03:00 America/Sao_Paulo Brasília Time
ART -03:00 America/Argentina/Buenos_Aires Argentina Time | CLT -04:00 America/Santiago Chile Standard Time
CLST -03:00 America/Santiago Chile Summer Time | COT -05:00 America/Bogota Colombia Time
PET -05:00 America/Lima Peru Time | BOT -04:00 America/La_Paz Bolivia Time
VET -04:00 America/Caracas Venezuela Time | UYT -03:00 America/Montevideo Uruguay Time
ECT -05:00 America/Guayaquil Ecuador Time | ECT -04:00 America/Barbados Eastern Caribbean Time
AMT -04:00 America/Manaus Amazon Time | AMT +04:00 Asia/Yerevan Armenia Time
ACT -05:00 America/Rio_Branco Acre Time | ACT +09:30 Australia/Darwin Australian Central Time
WET +00:00 Europe/Lisbon Western European Time | WEST +01:00 Europe/Lisbon Western European Summer Time
CET +01:00 Europe/Paris Central European Time | CEST +02:00 Europe/Paris Central European Summer Time
MEZ +01:00 Europe/Berlin Mitteleuropäische Zeit | MESZ +02:00 Europe/Berlin Mitteleuropäische Sommerzeit
EET +02:00 Europe/Athens Eastern European Time | EEST +03:00 Europe/Athens Eastern European Summer Time
MSK +03:00 Europe/Moscow Moscow Standard Time | TRT +03:00 Europe/Istanbul Türkiye Time
BST +01:00 Europe/London British Summer Time | BST +06:00 Asia/Dhaka Bangladesh Standard Time
~BST +11:00 Pacific/Bougainville Bougainville Standard Time | IST +05:30 Asia/Kolkata India Standard Time
IST +02:00 Asia/Jerusalem Israel Standard Time | IST +01:00 Europe/Dublin Irish Standard Time
IDT +03:00 Asia/Jerusalem Israel Daylight Time | SAST +02:00 Africa/Johannesburg South Africa Standard Time
CAT +02:00 Africa/Maputo Central Africa Time | EAT +03:00 Africa/Nairobi East Africa Time
WAT +01:00 Africa/Lagos West Africa Time | IRST +03:30 Asia/Tehran Iran Standard Time
GST +04:00 Asia/Dubai Gulf Standard Time | GST -02:00 Atlantic/South_Georgia South Georgia Time
GET +04:00 Asia/Tbilisi Georgia Standard Time | AZT +04:00 Asia/Baku Azerbaijan Time
AFT +04:30 Asia/Kabul Afghanistan Time | PKT +05:00 Asia/Karachi Pakistan Standard Time
UZT +05:00 Asia/Tashkent Uzbekistan Time | NPT +05:45 Asia/Kathmandu Nepal Time
MMT +06:30 Asia/Yangon Myanmar Time | ICT +07:00 Asia/Bangkok Indochina Time
WIB +07:00 Asia/Jakarta Western Indonesia Time | WITA +08:00 Asia/Makassar Central Indonesia Time
WIT +09:00 Asia/Jayapura Eastern Indonesia Time | HKT +08:00 Asia/Hong_Kong Hong Kong Time
SGT +08:00 Asia/Singapore Singapore Time | MYT +08:00 Asia/Kuala_Lumpur Malaysia Time
PHT +08:00 Asia/Manila Philippine Time | JST +09:00 Asia/Tokyo Japan Standard Time
KST +09:00 Asia/Seoul Korea Standard Time | AWST +08:00 Australia/Perth Australian Western Standard Time
ACST +09:30 Australia/Adelaide Australian Central Standard Time
ACDT +10:30 Australia/Adelaide Australian Central Daylight Time
AEST +10:00 Australia/Sydney Australian Eastern Standard Time
AEDT +11:00 Australia/Sydney Australian Eastern Daylight Time
WST +08:00 Australia/Perth Western Standard Time, Australia | WST +13:00 Pacific/Apia West Samoa Time
SST -11:00 Pacific/Pago_Pago Samoa Standard Time | SST +08:00 Asia/Singapore Singapore Standard Time
CHST +10:00 Pacific/Guam Chamorro Standard Time | NZST +12:00 Pacific/Auckland New Zealand Standard Time
NZDT +13:00 Pacific/Auckland New Zealand Daylight Time | CHAST +12:45 Pacific/Chatham Chatham Standard Time
CHADT +13:45 Pacific/Chatham Chatham Daylight Time`

/** By abbreviation and by full name, both in lower case; those with `isLesser` are only noted. */
const abbreviations = new Map<string, { zone: Zone; isLesser: boolean }[]>()
for (const entry of table.trim().split(/\n| \| /)) {
  const [mark = '', id = '', keptBy = '', ...words] = entry.split(' ')
  const zone: Zone = { id, label: mark.replace('~', ''), detail: words.join(' '), keptBy }
  const key = zone.label.toLowerCase()
  abbreviations.set(key, [...(abbreviations.get(key) ?? []), { zone, isLesser: mark !== zone.label }])
  abbreviations.set(zone.detail.replace(/,.*/, '').toLowerCase(), [{ zone, isLesser: false }])
}

/** Recognises an abbreviation, or the full name of one, in any case. */
export function findAbbreviation(text: string): ZoneMatch | undefined {
  const key = text.toLowerCase()
  // JavaScript writes `Central European Standard Time`.
  const found = abbreviations.get(key) ?? abbreviations.get(key.replace(/ standard time$/, ' time'))
  if (!found) return undefined
  const named = (list: typeof found) => list.map(({ zone }) => `${zone.detail} (UTC${zone.id})`).join(', ')
  const meant = found.filter(({ isLesser }) => !isLesser)
  const rest = named(found.filter(({ isLesser }) => isLesser))
  const { label, detail } = meant[0]!.zone
  const isAmbiguous = `"${label}" is ambiguous: ${named(meant)}; each reading is given. Name a city to choose one.`
  const note =
    meant.length > 1 ? isAmbiguous : rest && `"${label}" is read as ${detail}; it may also mean ${rest}.`
  const more = meant.length > 1 && rest ? ` It may even mean ${rest}.` : ''
  return { kind: 'abbreviation', readings: meant.map(({ zone }) => zone), notes: note ? [note + more] : [] }
}
