/**
 * European and Asian countries by zone: `Zone: Country = other name, Country`.
 * A country is here when all of it, or its mainland, keeps the clock of one zone. Those whose outlying parts
 * differ are also in `outliers`, those with several zones in `divided`. Read by `places.ts`.
 */
export const eurasianCountries = `
Europe/London: United Kingdom = UK = U.K. = Great Britain = Britain, England, Scotland, Wales, Northern Ireland
Europe/Dublin: Ireland = Eire = Republic of Ireland
Europe/Lisbon: Portugal
Atlantic/Reykjavik: Iceland
Europe/Madrid: Spain = España
Europe/Andorra: Andorra
Europe/Paris: France
Europe/Brussels: Belgium
Europe/Luxembourg: Luxembourg
Europe/Amsterdam: Netherlands = Holland
Europe/Berlin: Germany = Deutschland
Europe/Zurich: Switzerland
Europe/Vaduz: Liechtenstein
Europe/Vienna: Austria
Europe/Rome: Italy
Europe/San_Marino: San Marino
Europe/Vatican: Vatican
Europe/Malta: Malta
Europe/Copenhagen: Denmark
Europe/Oslo: Norway
Europe/Stockholm: Sweden
Europe/Helsinki: Finland
Europe/Tallinn: Estonia
Europe/Riga: Latvia
Europe/Vilnius: Lithuania
Europe/Warsaw: Poland
Europe/Prague: Czechia = Czech Republic
Europe/Bratislava: Slovakia
Europe/Budapest: Hungary
Europe/Ljubljana: Slovenia
Europe/Zagreb: Croatia
Europe/Sarajevo: Bosnia and Herzegovina = Bosnia
Europe/Belgrade: Serbia, Kosovo
Europe/Podgorica: Montenegro
Europe/Skopje: North Macedonia = Macedonia
Europe/Tirane: Albania
Europe/Athens: Greece
Europe/Sofia: Bulgaria
Europe/Bucharest: Romania
Europe/Chisinau: Moldova
Europe/Kyiv: Ukraine
Europe/Minsk: Belarus
Europe/Istanbul: Turkey = Türkiye
Asia/Tokyo: Japan
Asia/Seoul: South Korea = Korea = Republic of Korea
Asia/Pyongyang: North Korea
Asia/Shanghai: China = PRC
Asia/Taipei: Taiwan
Asia/Manila: Philippines
Asia/Kuala_Lumpur: Malaysia
Asia/Brunei: Brunei
Asia/Dili: Timor-Leste = East Timor
Asia/Ho_Chi_Minh: Vietnam = Viet Nam
Asia/Phnom_Penh: Cambodia
Asia/Vientiane: Laos
Asia/Bangkok: Thailand
Asia/Yangon: Myanmar = Burma
Asia/Kolkata: India
Asia/Colombo: Sri Lanka = Ceylon
Indian/Maldives: Maldives
Asia/Kathmandu: Nepal
Asia/Thimphu: Bhutan
Asia/Dhaka: Bangladesh
Asia/Karachi: Pakistan
Asia/Kabul: Afghanistan
Asia/Tehran: Iran
Asia/Baghdad: Iraq
Asia/Kuwait: Kuwait
Asia/Riyadh: Saudi Arabia
Asia/Bahrain: Bahrain
Asia/Qatar: Qatar
Asia/Dubai: United Arab Emirates = UAE = U.A.E. = Emirates
Asia/Muscat: Oman
Asia/Aden: Yemen
Asia/Amman: Jordan
Asia/Damascus: Syria
Asia/Beirut: Lebanon
Asia/Jerusalem: Israel
Asia/Hebron: Palestine
Asia/Nicosia: Cyprus
Asia/Yerevan: Armenia
Asia/Baku: Azerbaijan
Asia/Tashkent: Uzbekistan
Asia/Almaty: Kazakhstan
Asia/Bishkek: Kyrgyzstan
Asia/Dushanbe: Tajikistan
Asia/Ashgabat: Turkmenistan
`
