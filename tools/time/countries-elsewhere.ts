/** African, American and Pacific countries by zone, as in `countries-eurasia.ts`. Read by `places.ts`. */
export const otherCountries = `
Africa/Cairo: Egypt
Africa/Tripoli: Libya
Africa/Tunis: Tunisia
Africa/Algiers: Algeria
Africa/Casablanca: Morocco
Africa/El_Aaiun: Western Sahara
Africa/Nouakchott: Mauritania
Africa/Bamako: Mali
Africa/Dakar: Senegal
Africa/Banjul: Gambia = The Gambia
Africa/Bissau: Guinea-Bissau
Africa/Conakry: Guinea
Africa/Freetown: Sierra Leone
Africa/Monrovia: Liberia
Africa/Abidjan: Ivory Coast = Côte d'Ivoire
Africa/Accra: Ghana
Africa/Lome: Togo
Africa/Porto-Novo: Benin
Africa/Ouagadougou: Burkina Faso
Africa/Niamey: Niger
Africa/Lagos: Nigeria
Africa/Ndjamena: Chad
Africa/Bangui: Central African Republic
Africa/Douala: Cameroon
Africa/Malabo: Equatorial Guinea
Africa/Sao_Tome: São Tomé and Príncipe
Africa/Libreville: Gabon
Africa/Brazzaville: Republic of the Congo = Congo-Brazzaville
Africa/Luanda: Angola
Africa/Windhoek: Namibia
Africa/Gaborone: Botswana
Africa/Johannesburg: South Africa
Africa/Maseru: Lesotho
Africa/Mbabane: Eswatini = Swaziland
Africa/Maputo: Mozambique
Africa/Harare: Zimbabwe
Africa/Lusaka: Zambia
Africa/Blantyre: Malawi
Africa/Dar_es_Salaam: Tanzania
Africa/Nairobi: Kenya
Africa/Kampala: Uganda
Africa/Kigali: Rwanda
Africa/Bujumbura: Burundi
Africa/Addis_Ababa: Ethiopia
Africa/Asmara: Eritrea
Africa/Djibouti: Djibouti
Africa/Mogadishu: Somalia, Somaliland
Africa/Khartoum: Sudan
Africa/Juba: South Sudan
Atlantic/Cape_Verde: Cape Verde = Cabo Verde
Indian/Antananarivo: Madagascar
Indian/Comoro: Comoros
Indian/Mauritius: Mauritius
Indian/Mahe: Seychelles
Indian/Reunion: Réunion
America/Guatemala: Guatemala
America/Belize: Belize
America/El_Salvador: El Salvador
America/Tegucigalpa: Honduras
America/Managua: Nicaragua
America/Costa_Rica: Costa Rica
America/Panama: Panama
America/Havana: Cuba
America/Jamaica: Jamaica
America/Port-au-Prince: Haiti
America/Santo_Domingo: Dominican Republic
America/Nassau: Bahamas = The Bahamas
America/Barbados: Barbados
America/Port_of_Spain: Trinidad and Tobago = Trinidad
America/Grenada: Grenada
America/St_Lucia: Saint Lucia
America/St_Vincent: Saint Vincent and the Grenadines
America/Dominica: Dominica
America/Antigua: Antigua and Barbuda
America/St_Kitts: Saint Kitts and Nevis
America/Curacao: Curaçao
America/Aruba: Aruba
America/Cayman: Cayman Islands
America/Puerto_Rico: Puerto Rico
Atlantic/Bermuda: Bermuda
America/Bogota: Colombia
America/Caracas: Venezuela
America/Guyana: Guyana
America/Paramaribo: Suriname
America/Cayenne: French Guiana
America/Guayaquil: Ecuador
America/Lima: Peru
America/La_Paz: Bolivia
America/Asuncion: Paraguay
America/Montevideo: Uruguay
America/Argentina/Buenos_Aires: Argentina
America/Santiago: Chile
Atlantic/Stanley: Falkland Islands = Falklands
Pacific/Auckland: New Zealand = Aotearoa
Pacific/Fiji: Fiji
Pacific/Port_Moresby: Papua New Guinea = PNG
Pacific/Guadalcanal: Solomon Islands
Pacific/Efate: Vanuatu
Pacific/Noumea: New Caledonia
Pacific/Apia: Samoa
Pacific/Pago_Pago: American Samoa
Pacific/Tongatapu: Tonga
Pacific/Funafuti: Tuvalu
Pacific/Majuro: Marshall Islands
Pacific/Palau: Palau
Pacific/Nauru: Nauru
Pacific/Guam: Guam
Pacific/Rarotonga: Cook Islands
Pacific/Niue: Niue
`
