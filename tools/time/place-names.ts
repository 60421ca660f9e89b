/**
 * What the library lacks. `city-timezones` has a city under one spelling, and a few in a zone that they left or never
 * had. Read by `places.ts`; what stands here goes before it.
 */

/** Cities that the library has in another zone. */
export const correctedCities = `
America/Argentina/Catamarca: Comodoro Rivadavia; America/Ciudad_Juarez: Ciudad Juárez; America/Coyhaique: Coihaique
America/Punta_Arenas: Punta Arenas; America/Scoresbysund: Ittoqqortoormiit; Asia/Tehran: Urmia; Asia/Yekaterinburg: Perm
Asia/Shanghai: Lhasa, Maoming, Zhanjiang, Yumen, Dunhuang, Golmud, Chamdo, Xigaze; Europe/Moscow: Penza`

/** Cities that the library lacks, or has only under another name: `Zone: City = other name, City`; `City = other name`. */
export const ownCities = `
America/New_York: Eastern Time = ET = Eastern = US Eastern, New York = NYC = New York City = Manhattan = Brooklyn = Queens, Jersey City, Key West
America/Chicago: Central Time = CT = US Central, Fort Worth
America/Denver: Mountain Time = MT = US Mountain, Santa Fe
America/Los_Angeles: Pacific Time = PT = US Pacific, Palo Alto, Mountain View, Silicon Valley = Cupertino, Moscow Idaho
America/Halifax: Atlantic Time; America/Anchorage: Alaska Time, Fairbanks; Pacific/Honolulu: Hawaii Time, Hilo
America/St_Johns: Newfoundland Time; Africa/Cairo: Giza, Port Said, Sharm El Sheikh
Africa/El_Aaiun: El Aaiún = Laayoune; Africa/Johannesburg: Soweto; Africa/Malabo: Ciudad de la Paz
Africa/Mogadishu: Hargeisa = Somaliland; Africa/Tripoli: Benghazi; America/Bahia_Banderas: Bahía de Banderas
America/Cancun: Playa del Carmen, Tulum; America/Cayman: George Town Cayman; America/Costa_Rica: San José Costa Rica
America/Fortaleza: Natal; America/Grenada: Saint George's; America/La_Paz: Santa Cruz de la Sierra
America/Noronha: Fernando de Noronha; America/Phoenix: Scottsdale; America/Santo_Domingo: Punta Cana
America/St_Thomas: Charlotte Amalie
America/Toronto: Mississauga, Hamilton Ontario, London Ontario, Kingston Ontario, Windsor Ontario
America/Vancouver: Victoria British Columbia, Whistler, Surrey British Columbia; Antarctica/McMurdo: South Pole
Asia/Aqtobe: Aqtobe = Aktobe; Asia/Baghdad: Erbil = Arbil; Asia/Bangkok: Pattaya
Asia/Colombo: Sri Jayawardenepura Kotte = Kotte; Asia/Damascus: Homs; Asia/Hebron: Bethlehem
Asia/Ho_Chi_Minh: Hai Phong; Asia/Hovd: Hovd = Khovd; Asia/Jerusalem: Tel Aviv = Tel Aviv-Yafo, Eilat
Asia/Kamchatka: Petropavlovsk-Kamchatsky; Asia/Kolkata: Goa = Panaji, Visakhapatnam, Gurgaon = Gurugram, Noida
Asia/Kuala_Lumpur: Penang = George Town Penang; Asia/Makassar: Makassar = Ujung Pandang, Nusantara
Asia/Riyadh: Mecca = Makkah, Dammam; Asia/Shanghai: Shenyang; Asia/Tokyo: Okinawa = Naha
Asia/Vientiane: Luang Prabang; Asia/Yangon: Yangon = Rangoon; Atlantic/Bermuda: Hamilton Bermuda
Atlantic/Canary: Canary Islands = Canaries; Atlantic/St_Helena: Jamestown; Australia/Lord_Howe: Lord Howe Island
Australia/Perth: Fremantle; Europe/Andorra: Andorra la Vella; Europe/Athens: Patras, Heraklion, Piraeus
Europe/Berlin: Hanover = Hannover, Nuremberg = Nürnberg
Europe/Brussels: Antwerp = Antwerpen = Anvers, Ghent = Gent, Bruges = Brugge; Europe/Copenhagen: Aarhus = Århus
Europe/Guernsey: Saint Peter Port; Europe/Helsinki: Espoo; Europe/Jersey: Saint Helier
Europe/Kyiv: Odesa = Odessa, Dnipro = Dnepropetrovsk, Lviv = Lvov = Lwów, Zaporizhzhia = Zaporozhye
Europe/Madrid: Ibiza; Europe/Minsk: Gomel; Europe/Moscow: Rostov-on-Don = Rostov, Arkhangelsk = Archangel
Europe/Paris: Cannes; Europe/Prague: Plzeň = Pilsen; Europe/Simferopol: Sevastopol, Crimea
Europe/Stockholm: Gothenburg = Göteborg; Europe/Zurich: Davos, Lucerne = Luzern; Indian/Mayotte: Mamoudzou
Indian/Reunion: Saint-Denis Réunion; Pacific/Auckland: Queenstown; Pacific/Chatham: Chatham Islands
Pacific/Chuuk: Chuuk, Yap; Pacific/Easter: Easter Island = Rapa Nui; Pacific/Fiji: Nadi
Pacific/Galapagos: Galápagos = Galápagos Islands; Pacific/Gambier: Gambier Islands; Pacific/Guam: Hagåtña = Agana
Pacific/Kanton: Kanton = Phoenix Islands; Pacific/Kiritimati: Kiritimati = Christmas Island Kiribati = Line Islands
Pacific/Marquesas: Marquesas = Marquesas Islands; Pacific/Nauru: Yaren; Pacific/Niue: Alofi
Pacific/Norfolk: Norfolk Island, Kingston Norfolk Island; Pacific/Palau: Ngerulmud; Pacific/Pitcairn: Adamstown
Pacific/Pohnpei: Pohnpei; Pacific/Port_Moresby: Papua New Guinea = PNG
Africa/Mbabane: Lobamba; America/Edmonton: Banff; America/Belize: Belmopan; America/Guadeloupe: Basse-Terre
Pacific/Pohnpei: Palikir; Pacific/Palau: Koror; America/Atikokan: Atikokan; Pacific/Rarotonga: Avarua
Pacific/Tahiti: Bora Bora; Pacific/Wallis: Mata-Utu
Dublin = Baile Atha Cliath; Lisbon = Lisboa; Porto = Oporto; Las Palmas = Gran Canaria
Santa Cruz de Tenerife = Tenerife; Tórshavn = Faroe Islands = Faroes = Faroe; Seville = Sevilla; Zaragoza = Saragossa
Palma = Palma de Mallorca = Mallorca = Majorca; Marseille = Marseilles; Lyon = Lyons; Monaco = Monte Carlo
Brussels = Bruxelles = Brussel; The Hague = Den Haag; Munich = München = Muenchen; Cologne = Köln = Koeln
Frankfurt = Frankfurt am Main; Düsseldorf = Duesseldorf; Zürich = Zuerich; Bern = Berne; Geneva = Genève = Genf
Basel = Basle; Vienna = Wien; Rome = Roma; Milan = Milano; Naples = Napoli; Turin = Torino; Florence = Firenze
Venice = Venezia; Genoa = Genova; Vatican City = Holy See; Valletta = La Valletta; Copenhagen = København
Longyearbyen = Svalbard; Helsinki = Helsingfors; Turku = Åbo; Warsaw = Warszawa; Kraków = Cracow; Gdańsk = Danzig
Prague = Praha; Belgrade = Beograd; Tirana = Tiranë; Pristina = Kosovo = Prishtina = Prishtinë; Athens = Athina
Thessaloniki = Salonica; Bucharest = București; Cluj-Napoca = Cluj; Chișinău = Kishinev; Kyiv = Kiev
Kharkiv = Kharkov; Istanbul = Constantinople; İzmir = Smyrna; Moscow = Moskva
Saint Petersburg = Leningrad = Sankt-Peterburg = Petrograd; Kaliningrad = Königsberg; Volgograd = Stalingrad
Tokyo = Tokio; Busan = Pusan; Beijing = Peking; Guangzhou = Canton; Chongqing = Chungking; Tianjin = Tientsin
Nanjing = Nanking; Qingdao = Tsingtao; Xiamen = Amoy; Ürümqi = Urumchi; Kashgar = Kashi
Hong Kong = Hongkong = Kowloon; Macau = Macao; Taipei = Taibei; Ulaanbaatar = Ulan Bator; Kuala Lumpur = KL
Malacca = Melaka; Jakarta = Djakarta = Batavia; Yogyakarta = Jogjakarta; Denpasar = Bali; Hanoi = Hà Nội
Ho Chi Minh City = Saigon = HCMC = Ho Chi Minh; Bangkok = Krung Thep; Naypyidaw = Nay Pyi Taw; Mumbai = Bombay
Bengaluru = Bangalore; Kolkata = Calcutta; Chennai = Madras; Pune = Poona; Kochi = Cochin
Thiruvananthapuram = Trivandrum; Mysuru = Mysore; Varanasi = Benares; Kathmandu = Katmandu; Thimphu = Thimbu
Dhaka = Dacca; Chittagong = Chattogram; Tehran = Teheran; Isfahan = Esfahan; Jeddah = Jiddah; Muscat = Masqat
Beirut = Beyrouth; Nicosia = Lefkosia; Tbilisi = Tiflis; Yerevan = Erevan; Almaty = Alma-Ata; Astana = Nur-Sultan
Bishkek = Frunze; Ashgabat = Ashkhabad; Yekaterinburg = Ekaterinburg = Sverdlovsk; Cairo = Al-Qahirah; Algiers = Alger
Marrakesh = Marrakech; Fez = Fès; Tangier = Tanger; Kinshasa = Léopoldville; Johannesburg = Joburg
Cape Town = Kaapstad; Pretoria = Tshwane; Durban = eThekwini; Port Elizabeth = Gqeberha; Maputo = Lourenço Marques
Harare = Salisbury Rhodesia; Addis Ababa = Addis Abeba; Asmara = Asmera; Mogadishu = Muqdisho
Washington DC = D.C. = District of Columbia; Philadelphia = Philly; Salt Lake City = SLC
Los Angeles = LA = L.A. = Hollywood; San Francisco = SF = San Fran; Las Vegas = Vegas; Honolulu = Waikiki
Québec = Québec City; Saint John's = Newfoundland; Cabo San Lucas = Los Cabos; Mexico City = CDMX = Ciudad de México
Havana = La Habana; Nuuk = Godthåb; Cusco = Cuzco; Coihaique = Coyhaique; Santiago = Santiago de Chile
São Paulo = Sampa; Nuku'alofa; Asunción; Rio de Janeiro = Rio; Salvador = Salvador da Bahia; Stanley = Port Stanley
Tarawa = South Tarawa`

/**
 * Places that share a name: `Name: place (Zone), place (Zone)`. Each is answered; after `Name =` the first is, and a
 * note names the others. Only what their sizes would get wrong: `Toledo` needs no line.
 */
export const namesakes = `
Springfield: Springfield, Illinois or Missouri (America/Chicago), Springfield, Massachusetts (America/New_York)
Hamilton: Hamilton, Ontario (America/Toronto), Hamilton, Bermuda (Atlantic/Bermuda), Hamilton, New Zealand (Pacific/Auckland)
Córdoba: Córdoba, Argentina (America/Argentina/Cordoba), Córdoba, Spain (Europe/Madrid)
Georgia: Georgia, the country (Asia/Tbilisi), Georgia, the US state (America/New_York)
George Town: George Town, Cayman Islands (America/Cayman), George Town, Penang (Asia/Kuala_Lumpur)
Victoria: Victoria, British Columbia (America/Vancouver), Victoria, Seychelles (Indian/Mahe), Victoria, Australia (Australia/Melbourne)
Christmas Island: Christmas Island, Australian territory (Indian/Christmas), Kiritimati in Kiribati (Pacific/Kiritimati)
Wilmington: Wilmington, Delaware or North Carolina (America/New_York), Wilmington, California (America/Los_Angeles)
Glendale: Glendale, Arizona (America/Phoenix), Glendale, California (America/Los_Angeles)
Arlington: Arlington, Virginia (America/New_York), Arlington, Texas (America/Chicago)
Salem: Salem, Oregon (America/Los_Angeles), Salem, Massachusetts (America/New_York)
Rochester: Rochester, New York (America/New_York), Rochester, Minnesota (America/Chicago)
Lincoln: Lincoln, Nebraska (America/Chicago), Lincoln, England (Europe/London)
Birmingham = Birmingham, England (Europe/London), Birmingham, Alabama (America/Chicago)
Portland = Portland, Oregon (America/Los_Angeles), Portland, Maine (America/New_York)
Cambridge = Cambridge, England (Europe/London), Cambridge, Massachusetts (America/New_York)
Washington = Washington, DC (America/New_York), Washington State (America/Los_Angeles)
Valencia = Valencia, Spain (Europe/Madrid), Valencia, Venezuela (America/Caracas)
Santiago = Santiago, Chile (America/Santiago), Santiago de Compostela, Spain (Europe/Madrid)
Tripoli = Tripoli, Libya (Africa/Tripoli), Tripoli, Lebanon (Asia/Beirut)
Alexandria = Alexandria, Egypt (Africa/Cairo), Alexandria, Virginia (America/New_York)
Georgetown = Georgetown, Guyana (America/Guyana), Georgetown, Texas (America/Chicago)
Santa Cruz = Santa Cruz, Bolivia (America/La_Paz), Santa Cruz, California (America/Los_Angeles)
Saint John's = St. John's, Newfoundland (America/St_Johns), St. John's, Antigua (America/Antigua)
Richmond = Richmond, Virginia (America/New_York), Richmond, British Columbia (America/Vancouver)
Jackson = Jackson, Mississippi (America/Chicago), Jackson, Wyoming (America/Denver)
Salisbury = Salisbury, England (Europe/London), Salisbury, Maryland (America/New_York)
Macedonia = North Macedonia (Europe/Skopje), Macedonia, the Greek region (Europe/Athens)
Punjab: Punjab, India (Asia/Kolkata), Punjab, Pakistan (Asia/Karachi)
Jersey = Jersey, Channel Islands (Europe/Jersey), New Jersey (America/New_York)
Petersburg = Saint Petersburg, Russia (Europe/Moscow), Petersburg, Virginia (America/New_York)
Congo: Brazzaville (Africa/Brazzaville), Kinshasa (Africa/Kinshasa), Lubumbashi (Africa/Lubumbashi)
Europe: Western Europe (Europe/Lisbon), Britain (Europe/London), Central Europe (Europe/Paris), Eastern Europe (Europe/Athens), Moscow (Europe/Moscow)`

/** Names of countries that the library lacks, by code; the first is the one that is shown. */
export const countryNames = `
AE: United Arab Emirates, UAE, U.A.E., Emirates; AQ: Antarctica; BA: Bosnia and Herzegovina, Bosnia
BR: Brazil, Brasil; BS: Bahamas; CD: Democratic Republic of the Congo, Congo, DRC, DR Congo, Congo-Kinshasa
CG: Republic of the Congo, Congo, Congo-Brazzaville; CI: Ivory Coast, Côte d'Ivoire; CN: China, PRC
CV: Cape Verde, Cabo Verde; CZ: Czechia; DE: Germany, Deutschland; ES: Spain, España
FK: Falkland Islands, Falklands; FM: Micronesia
GB: United Kingdom, UK, U.K., Great Britain, Britain, England, Scotland, Wales, Northern Ireland; GF: French Guiana
GM: Gambia; GP: Guadeloupe; GW: Guinea-Bissau; IE: Ireland, Eire, Republic of Ireland
KR: South Korea, Korea, Republic of Korea; LK: Sri Lanka, Ceylon; MK: North Macedonia; MM: Myanmar, Burma
MQ: Martinique; NL: Netherlands, Holland; NZ: New Zealand, Aotearoa; PS: Palestine; RE: Réunion
RU: Russia, Russian Federation; SZ: Eswatini; TL: Timor-Leste; TR: Türkiye; TT: Trinidad and Tobago, Trinidad
US: United States, USA, US, U.S., U.S.A., America; VA: Vatican City, Vatican; VN: Vietnam, Viet Nam; YT: Mayotte`

/** Codes of provinces, which the library has for the United States only; they count after a city. */
export const provinceCodes = `
AB: Alberta; BC: British Columbia; MB: Manitoba; NB: New Brunswick; NL: Newfoundland and Labrador; NS: Nova Scotia
ON: Ontario; PEI: Prince Edward Island; QC: Québec; SK: Saskatchewan; YT: Yukon; NSW: New South Wales; QLD: Queensland
SA: South Australia; TAS: Tasmania; NT: Northern Territory`
