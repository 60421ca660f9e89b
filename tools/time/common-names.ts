/** What people in daily speech call the clock of a place: `Zone: name = other name`. Read by `places.ts`. */
export const commonNames = `
America/New_York: Eastern Time = ET = Eastern = US Eastern
America/Chicago: Central Time = CT = US Central
America/Denver: Mountain Time = MT = US Mountain
America/Los_Angeles: Pacific Time = PT = US Pacific
America/Halifax: Atlantic Time
America/Anchorage: Alaska Time
Pacific/Honolulu: Hawaii Time
America/St_Johns: Newfoundland Time
`
