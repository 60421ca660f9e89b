/** One zone to read or show a time in. */
export interface Zone {
  /** What calendar arithmetic runs on: an IANA name, `UTC`, or an offset such as `+05:30`. */
  readonly id: string
  /** How a person calls it: `Tokyo`, `EST`, `UTC+05:30`. */
  readonly label: string
  /** Shown in brackets after the label: the IANA name, or what an abbreviation stands for; may be empty. */
  readonly detail: string
  /** For an abbreviation: the IANA zone of a place that keeps it, at least in part of the year. */
  readonly keptBy?: string
}

/** What a piece of text names. */
export interface ZoneMatch {
  /**
   * How it was recognised. Abbreviations (`cat`, `eat`, `get`) and some cities (`Nice`, `Split`) are also
   * English words, so whoever searches a sentence should ask for capitals there.
   */
  readonly kind: 'name' | 'offset' | 'abbreviation' | 'city' | 'country' | 'province'
  /** One reading, or several when the text is ambiguous; each is to be answered. */
  readonly readings: readonly Zone[]
  /** Sentences to add to an answer. */
  readonly notes: readonly string[]
  /** Set when no answer can be given without a choice, as for a country with many zones; says what to choose from. */
  readonly choose?: string
}

/** A zone as a person reads it: `Tokyo (Asia/Tokyo)`, `EST (Eastern Standard Time)`, `UTC+05:30`. */
export function zoneTitle(zone: Zone): string {
  return zone.detail ? `${zone.label} (${zone.detail})` : zone.label
}

/** The key under which a name is stored: no case, accents or punctuation, `Saint` written `st`. */
export function nameKey(text: string): string {
  if (/^[a-z]+(?: [a-z]+)*$/i.test(text)) return text.toLowerCase().replace(/\bsaint\b/g, 'st')
  return text
    .replace(/[øØ]/g, 'o')
    .replace(/[łŁ]/g, 'l')
    .replace(/[đĐ]/g, 'd')
    .replace(/ı/g, 'i')
    .normalize('NFD')
    .toLowerCase()
    .replace(/[\u0300-\u036f'’‘ʻ`.]/g, '')
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .replace(/\bsaint\b/g, 'st')
    .trim()
}
