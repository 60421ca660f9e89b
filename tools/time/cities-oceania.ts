/** Cities of Oceania by zone: `Zone: City = other name, City`. Capitals and large cities; read by `places.ts`. */
export const oceania = `
Australia/Sydney: Sydney, Canberra, Wollongong
Australia/Melbourne: Melbourne, Geelong, Ballarat
Australia/Brisbane: Brisbane, Gold Coast, Cairns, Townsville
Australia/Adelaide: Adelaide
Australia/Broken_Hill: Broken Hill
Australia/Darwin: Darwin, Alice Springs
Australia/Perth: Perth, Fremantle
Australia/Eucla: Eucla
Australia/Hobart: Hobart
Australia/Lord_Howe: Lord Howe Island
Pacific/Norfolk: Norfolk Island, Kingston Norfolk Island
Pacific/Auckland: Auckland, Wellington, Christchurch, Queenstown, Dunedin
Pacific/Chatham: Chatham Islands
Pacific/Fiji: Suva, Nadi
Pacific/Port_Moresby: Port Moresby
Pacific/Bougainville: Bougainville
Pacific/Guadalcanal: Honiara
Pacific/Efate: Port Vila
Pacific/Noumea: Nouméa
Pacific/Apia: Apia
Pacific/Pago_Pago: Pago Pago
Pacific/Tongatapu: Nuku'alofa = Nukualofa
Pacific/Tarawa: Tarawa = South Tarawa
Pacific/Kiritimati: Kiritimati = Christmas Island Kiribati = Line Islands
Pacific/Kanton: Kanton = Phoenix Islands
Pacific/Funafuti: Funafuti
Pacific/Majuro: Majuro
Pacific/Pohnpei: Palikir, Pohnpei
Pacific/Chuuk: Chuuk, Yap
Pacific/Kosrae: Kosrae
Pacific/Palau: Ngerulmud, Koror
Pacific/Nauru: Yaren
Pacific/Guam: Hagåtña = Agana
Pacific/Saipan: Saipan
Pacific/Tahiti: Papeete, Tahiti, Bora Bora
Pacific/Marquesas: Marquesas = Marquesas Islands
Pacific/Gambier: Gambier Islands
Pacific/Pitcairn: Adamstown
Pacific/Rarotonga: Avarua
Pacific/Niue: Alofi
Pacific/Wallis: Mata-Utu
Antarctica/McMurdo: McMurdo, South Pole
`
