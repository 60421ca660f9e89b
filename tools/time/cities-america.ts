/** American cities by zone: `Zone: City = other name, City`. Capitals and large cities; read by `places.ts`. */
export const america = `
America/New_York: New York = NYC = New York City = Manhattan = Brooklyn = Queens, Washington DC = Washington D.C. = D.C. = District of Columbia, Boston, Philadelphia = Philly, Atlanta, Miami, Orlando, Tampa, Jacksonville, Charlotte, Raleigh, Pittsburgh, Baltimore, Cleveland, Cincinnati, Columbus, Buffalo, Newark, Jersey City, Richmond, Norfolk, Hartford, Providence, Savannah, Albany, Fort Lauderdale, Key West
America/Detroit: Detroit, Ann Arbor, Grand Rapids
America/Indiana/Indianapolis: Indianapolis
America/Kentucky/Louisville: Louisville
America/Chicago: Chicago, Houston, Dallas, San Antonio, Austin, Fort Worth, New Orleans, Memphis, Nashville, Minneapolis, Saint Paul, Milwaukee, Kansas City, Saint Louis, Oklahoma City, Tulsa, Omaha, Wichita, Des Moines, Madison, Little Rock, Mobile, Baton Rouge
America/Denver: Denver, Salt Lake City = SLC, Albuquerque, Santa Fe, Colorado Springs, Boulder, El Paso, Billings, Cheyenne
America/Boise: Boise
America/Phoenix: Phoenix, Tucson, Mesa, Scottsdale
America/Los_Angeles: Los Angeles = LA = L.A. = Hollywood, San Francisco = SF = San Fran, San Diego, Seattle, Las Vegas = Vegas, Sacramento, Oakland, Portland, Fresno, Long Beach, Spokane, Tacoma, Reno, Palo Alto, Mountain View, Berkeley, Silicon Valley = Cupertino
America/Anchorage: Anchorage, Fairbanks
America/Juneau: Juneau
Pacific/Honolulu: Honolulu = Waikiki, Hilo
America/Puerto_Rico: San Juan
America/St_Thomas: Charlotte Amalie
America/Toronto: Toronto, Montréal, Ottawa, Québec City = Quebec, Mississauga, Hamilton Ontario, London Ontario, Kingston Ontario, Windsor Ontario
America/Iqaluit: Iqaluit
America/Winnipeg: Winnipeg
America/Regina: Regina, Saskatoon
America/Edmonton: Edmonton, Calgary, Banff, Yellowknife
America/Vancouver: Vancouver, Victoria British Columbia, Whistler, Surrey British Columbia
America/Whitehorse: Whitehorse
America/Halifax: Halifax, Charlottetown
America/Moncton: Moncton, Fredericton, Saint John
America/St_Johns: Saint John's = Newfoundland
America/Mexico_City: Mexico City = CDMX = Ciudad de México, Guadalajara, Puebla, León, Querétaro, Acapulco, Oaxaca, Veracruz
America/Monterrey: Monterrey
America/Merida: Mérida
America/Cancun: Cancún, Playa del Carmen, Tulum
America/Tijuana: Tijuana, Mexicali
America/Ciudad_Juarez: Ciudad Juárez
America/Chihuahua: Chihuahua
America/Hermosillo: Hermosillo
America/Mazatlan: Mazatlán, Culiacán, Cabo San Lucas = Los Cabos
America/Bahia_Banderas: Bahía de Banderas
America/Guatemala: Guatemala City
America/Belize: Belmopan, Belize City
America/El_Salvador: San Salvador
America/Tegucigalpa: Tegucigalpa, San Pedro Sula
America/Managua: Managua
America/Costa_Rica: San José Costa Rica
America/Panama: Panama City
America/Havana: Havana = La Habana
America/Jamaica: Kingston, Montego Bay
America/Port-au-Prince: Port-au-Prince
America/Santo_Domingo: Santo Domingo, Punta Cana
America/Nassau: Nassau
America/Barbados: Bridgetown
America/Port_of_Spain: Port of Spain
America/Grenada: Saint George's
America/St_Lucia: Castries
America/St_Vincent: Kingstown
America/Dominica: Roseau
America/Antigua: Saint John's Antigua
America/St_Kitts: Basseterre
America/Curacao: Willemstad
America/Aruba: Oranjestad
America/Cayman: George Town Cayman
America/Martinique: Fort-de-France
America/Guadeloupe: Basse-Terre, Pointe-à-Pitre
Atlantic/Bermuda: Hamilton Bermuda
America/Nuuk: Nuuk = Godthåb
America/Bogota: Bogotá, Medellín, Cali, Barranquilla, Cartagena
America/Caracas: Caracas, Maracaibo
America/Guyana: Georgetown
America/Paramaribo: Paramaribo
America/Cayenne: Cayenne, Kourou
America/Guayaquil: Quito, Guayaquil, Cuenca
Pacific/Galapagos: Galápagos = Galápagos Islands
America/Lima: Lima, Cusco = Cuzco, Arequipa
America/La_Paz: La Paz, Sucre, Santa Cruz de la Sierra, Cochabamba
America/Asuncion: Asunción
America/Montevideo: Montevideo
America/Argentina/Buenos_Aires: Buenos Aires, Rosario, La Plata, Mar del Plata
America/Argentina/Mendoza: Mendoza
America/Argentina/Ushuaia: Ushuaia
America/Santiago: Santiago = Santiago de Chile, Valparaíso, Concepción
America/Punta_Arenas: Punta Arenas
Pacific/Easter: Easter Island = Rapa Nui
America/Sao_Paulo: São Paulo = Sampa, Rio de Janeiro = Rio, Brasília, Belo Horizonte, Curitiba, Porto Alegre, Florianópolis, Campinas, Goiânia
America/Bahia: Salvador = Salvador da Bahia
America/Recife: Recife
America/Fortaleza: Fortaleza, Natal, São Luís
America/Belem: Belém
America/Manaus: Manaus
America/Cuiaba: Cuiabá
America/Campo_Grande: Campo Grande
America/Rio_Branco: Rio Branco
America/Noronha: Fernando de Noronha
Atlantic/Stanley: Stanley = Port Stanley
`
