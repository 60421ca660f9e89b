/** Parts of a country above that keep another clock than its mainland: `Country: part (Zone), part (Zone)`. */
export const outliers = `
Portugal: Azores (Atlantic/Azores)
Spain: Canary Islands (Atlantic/Canary)
Chile: Easter Island (Pacific/Easter), Punta Arenas (America/Punta_Arenas), Coyhaique (America/Coyhaique)
Ecuador: Galápagos (Pacific/Galapagos)
New Zealand: Chatham Islands (Pacific/Chatham)
Papua New Guinea: Bougainville (Pacific/Bougainville)
`

/** Countries that have no one clock: `Country = other name: what (Zone), what (Zone)`. */
export const divided = `
United States = USA = US = U.S. = U.S.A. = America = United States of America: Eastern (America/New_York), Central (America/Chicago), Mountain (America/Denver), Arizona (America/Phoenix), Pacific (America/Los_Angeles), Alaska (America/Anchorage), Hawaii (Pacific/Honolulu)
Canada: Newfoundland (America/St_Johns), Atlantic (America/Halifax), Eastern (America/Toronto), Central (America/Winnipeg), Saskatchewan (America/Regina), Mountain (America/Edmonton), Pacific (America/Vancouver), Yukon (America/Whitehorse)
Mexico = México: Mexico City (America/Mexico_City), Cancún (America/Cancun), Hermosillo (America/Hermosillo), Mazatlán (America/Mazatlan), Tijuana (America/Tijuana), Monterrey (America/Monterrey), Mérida (America/Merida), Chihuahua (America/Chihuahua), Ciudad Juárez (America/Ciudad_Juarez)
Brazil = Brasil: Brasília (America/Sao_Paulo), Salvador (America/Bahia), Recife (America/Recife), Fortaleza (America/Fortaleza), Belém (America/Belem), Manaus (America/Manaus), Cuiabá (America/Cuiaba), Campo Grande (America/Campo_Grande), Rio Branco (America/Rio_Branco), Fernando de Noronha (America/Noronha)
Russia = Russian Federation: Kaliningrad (Europe/Kaliningrad), Moscow (Europe/Moscow), Samara (Europe/Samara), Yekaterinburg (Asia/Yekaterinburg), Omsk (Asia/Omsk), Novosibirsk (Asia/Novosibirsk), Krasnoyarsk (Asia/Krasnoyarsk), Irkutsk (Asia/Irkutsk), Yakutsk (Asia/Yakutsk), Vladivostok (Asia/Vladivostok), Magadan (Asia/Magadan), Kamchatka (Asia/Kamchatka)
Australia: Sydney (Australia/Sydney), Melbourne (Australia/Melbourne), Brisbane (Australia/Brisbane), Adelaide (Australia/Adelaide), Darwin (Australia/Darwin), Perth (Australia/Perth), Hobart (Australia/Hobart)
Indonesia: Jakarta (Asia/Jakarta), Makassar and Bali (Asia/Makassar), Jayapura (Asia/Jayapura)
Democratic Republic of the Congo = DRC = DR Congo = Congo-Kinshasa: Kinshasa (Africa/Kinshasa), Lubumbashi (Africa/Lubumbashi)
Congo: Brazzaville (Africa/Brazzaville), Kinshasa (Africa/Kinshasa), Lubumbashi (Africa/Lubumbashi)
Mongolia: Ulaanbaatar (Asia/Ulaanbaatar), Hovd (Asia/Hovd)
Greenland: Nuuk (America/Nuuk), Ittoqqortoormiit (America/Scoresbysund), Danmarkshavn (America/Danmarkshavn), Thule (America/Thule)
Kiribati: Tarawa (Pacific/Tarawa), Kanton (Pacific/Kanton), Kiritimati (Pacific/Kiritimati)
Micronesia = Federated States of Micronesia: Chuuk (Pacific/Chuuk), Pohnpei (Pacific/Pohnpei), Kosrae (Pacific/Kosrae)
French Polynesia: Tahiti (Pacific/Tahiti), Marquesas (Pacific/Marquesas), Gambier Islands (Pacific/Gambier)
Antarctica: McMurdo (Antarctica/McMurdo), Casey (Antarctica/Casey), Davis (Antarctica/Davis), Mawson (Antarctica/Mawson), Palmer (Antarctica/Palmer), Troll (Antarctica/Troll), Vostok (Antarctica/Vostok)
Europe: Western (Europe/Lisbon), British (Europe/London), Central (Europe/Paris), Eastern (Europe/Athens), Moscow (Europe/Moscow)
`

/** More zones that lie in a country, so that `Detroit, USA` is not doubted: `Country: zone zone`. */
export const furtherZones = `
United States: America/Detroit America/Boise America/Indiana/Indianapolis America/Kentucky/Louisville America/Juneau America/Puerto_Rico
Canada: America/Moncton America/Iqaluit
Mexico: America/Bahia_Banderas
Argentina: America/Argentina/Cordoba America/Argentina/Mendoza America/Argentina/Ushuaia
China: Asia/Urumqi Asia/Hong_Kong Asia/Macau
Russia: Europe/Saratov Europe/Volgograd Europe/Astrakhan Asia/Tomsk Asia/Sakhalin
Australia: Australia/Broken_Hill Australia/Eucla Australia/Lord_Howe
Malaysia: Asia/Kuching
Indonesia: Asia/Pontianak
Kazakhstan: Asia/Aqtobe
Uzbekistan: Asia/Samarkand
Spain: Africa/Ceuta
Portugal: Atlantic/Madeira
Norway: Arctic/Longyearbyen
Finland: Europe/Mariehamn
Cyprus: Asia/Famagusta
Ukraine: Europe/Simferopol
Palestine: Asia/Gaza
`
