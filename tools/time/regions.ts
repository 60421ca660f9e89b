/**
 * States and provinces whose name can stand after a city's, or alone:
 * `Region, CODE: main zone, the other zones inside it`. Read by `places.ts`.
 */
export const regions = `
Alabama, AL: America/Chicago
Alaska, AK: America/Anchorage, America/Juneau, America/Adak
Arizona, AZ: America/Phoenix
Arkansas, AR: America/Chicago
California, CA: America/Los_Angeles
Colorado, CO: America/Denver
Connecticut, CT: America/New_York
Delaware, DE: America/New_York
Florida, FL: America/New_York, America/Chicago
Hawaii, HI: Pacific/Honolulu
Idaho, ID: America/Boise, America/Los_Angeles
Illinois, IL: America/Chicago
Indiana, IN: America/Indiana/Indianapolis, America/Chicago
Iowa, IA: America/Chicago
Kansas, KS: America/Chicago, America/Denver
Kentucky, KY: America/Kentucky/Louisville, America/Chicago
Louisiana, LA: America/Chicago
Maine, ME: America/New_York
Maryland, MD: America/New_York
Massachusetts, MA: America/New_York
Michigan, MI: America/Detroit, America/Menominee
Minnesota, MN: America/Chicago
Mississippi, MS: America/Chicago
Missouri, MO: America/Chicago
Montana, MT: America/Denver
Nebraska, NE: America/Chicago, America/Denver
Nevada, NV: America/Los_Angeles
New Hampshire, NH: America/New_York
New Jersey, NJ: America/New_York
New Mexico, NM: America/Denver
New York State, NY: America/New_York
North Carolina, NC: America/New_York
North Dakota, ND: America/Chicago, America/Denver
Ohio, OH: America/New_York
Oklahoma, OK: America/Chicago
Oregon, OR: America/Los_Angeles, America/Boise
Pennsylvania, PA: America/New_York
Rhode Island, RI: America/New_York
South Carolina, SC: America/New_York
South Dakota, SD: America/Chicago, America/Denver
Tennessee, TN: America/Chicago, America/New_York
Texas, TX: America/Chicago, America/Denver
Utah, UT: America/Denver
Vermont, VT: America/New_York
Virginia, VA: America/New_York
Washington State, WA: America/Los_Angeles
West Virginia, WV: America/New_York
Wisconsin, WI: America/Chicago
Wyoming, WY: America/Denver
Alberta, AB: America/Edmonton
British Columbia, BC: America/Vancouver, America/Edmonton
Manitoba, MB: America/Winnipeg
New Brunswick, NB: America/Moncton
Newfoundland and Labrador, NL: America/St_Johns, America/Goose_Bay
Nova Scotia, NS: America/Halifax
Ontario, ON: America/Toronto, America/Winnipeg
Prince Edward Island, PEI: America/Halifax
Quebec Province, QC: America/Toronto, America/Blanc-Sablon
Saskatchewan, SK: America/Regina
Yukon, YT: America/Whitehorse
New South Wales, NSW: Australia/Sydney, Australia/Broken_Hill
Queensland, QLD: Australia/Brisbane
South Australia, SA: Australia/Adelaide
Tasmania, TAS: Australia/Hobart
Northern Territory, NT: Australia/Darwin
Western Australia: Australia/Perth, Australia/Eucla
`
