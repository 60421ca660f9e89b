/** A zone to read or show a time in. */
export interface Zone {
  /** The id for calendar arithmetic: an IANA name, `UTC`, or an offset such as `+05:30`. */
  readonly id: string
  /** The name people use: `Tokyo`, `EST`, `UTC+05:30`. */
  readonly label: string
  /** Shown in parentheses after the label: the IANA name or the abbreviation's full name; may be empty. */
  readonly detail: string
  /** For an abbreviation: the IANA zone of a place that observes it, at least for part of the year. */
  readonly keptBy?: string
}

/** Stands for a zone that nobody named. */
export const NO_ZONE: Zone = { id: 'UTC', label: '', detail: '' }

/** What a text names. */
export interface ZoneMatch {
  /**
   * How the text was recognised. Abbreviations (`cat`, `eat`, `get`) and some cities (`Nice`, `Split`) are also English
   * words, so a caller that searches a sentence should require capitals for them.
   */
  readonly kind: 'name' | 'offset' | 'abbreviation' | 'city' | 'country' | 'province'
  /** One reading, or several when the text is ambiguous; answer all of them. */
  readonly readings: readonly Zone[]
  /** Sentences to add to an answer. */
  readonly notes: readonly string[]
  /** Set when the user must choose, as for a country with many zones; lists the choices. */
  readonly choose?: string
}

/** A zone as people read it: `Tokyo (Asia/Tokyo)`, `EST (Eastern Standard Time)`, `UTC+05:30`. */
export function zoneTitle(zone: Zone): string {
  return zone.detail ? `${zone.label} (${zone.detail})` : zone.label
}

const PLAIN: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss' }

/** The lookup key of a name: no case, accents or punctuation, `Saint` written `st`. */
export function nameKey(text: string): string {
  if (/^[a-z]+(?: [a-z]+)*$/i.test(text)) return text.toLowerCase().replace(/\bsaint\b/g, 'st')
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[øłđıß]/g, letter => PLAIN[letter]!)
    .replace(/[\u0300-\u036f'’‘ʻ`.]/g, '')
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .replace(/\bsaint\b/g, 'st')
    .trim()
}
