/** A zone to read or show a time in. */
export interface Zone {
  /** The id for calendar arithmetic: an IANA name, `UTC`, or an offset such as `+05:30`. */
  readonly id: string
  /** The name people use: `Tokyo`, `EST`, `UTC+05:30`. */
  readonly label: string
  /** Shown in parentheses after the label: the IANA name; may be empty. */
  readonly detail: string
  /** For an abbreviation: the IANA zone of a place that observes it, at least for part of the year. */
  readonly keptBy?: string
  /** Says what was assumed about the name. */
  readonly note?: string
}

/** Stands for a zone that nobody named. */
export const NO_ZONE: Zone = { id: 'UTC', label: '', detail: '' }

/** Shows a moment in seconds since 1970. */
export const UNIX: Zone = { id: 'UTC', label: 'Unix', detail: '' }

/** A zone as people read it: `Tokyo (Asia/Tokyo)`, `EST`, `UTC+05:30`. */
export function zoneTitle(zone: Zone): string {
  return zone.detail ? `${zone.label} (${zone.detail})` : zone.label
}

const PLAIN: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss' }

/** The lookup key of a name: no case, accents or punctuation, `Saint` written `st`. */
export function nameKey(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[øłđıß]/g, letter => PLAIN[letter]!)
    .replace(/[\u0300-\u036f'’‘ʻ`.]/g, '')
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .replace(/\bsaint\b/g, 'st')
    .trim()
}
