/** African cities by zone: `Zone: City = other name, City`. Capitals and large cities; read by `places.ts`. */
export const africa = `
Africa/Cairo: Cairo = Al-Qahirah, Alexandria, Giza, Luxor, Port Said, Sharm El Sheikh
Africa/Tripoli: Tripoli, Benghazi
Africa/Tunis: Tunis, Sfax
Africa/Algiers: Algiers = Alger, Oran, Constantine
Africa/Casablanca: Casablanca, Rabat, Marrakesh = Marrakech, Fez = Fès, Tangier = Tanger, Agadir
Africa/El_Aaiun: El Aaiún = Laayoune
Africa/Nouakchott: Nouakchott
Africa/Bamako: Bamako, Timbuktu
Africa/Dakar: Dakar
Africa/Banjul: Banjul
Africa/Bissau: Bissau
Africa/Conakry: Conakry
Africa/Freetown: Freetown
Africa/Monrovia: Monrovia
Africa/Abidjan: Abidjan, Yamoussoukro
Africa/Accra: Accra, Kumasi
Africa/Lome: Lomé
Africa/Porto-Novo: Porto-Novo, Cotonou
Africa/Ouagadougou: Ouagadougou
Africa/Niamey: Niamey
Africa/Lagos: Lagos, Abuja, Kano, Ibadan, Port Harcourt, Kaduna, Benin City
Africa/Ndjamena: N'Djamena = Ndjamena
Africa/Bangui: Bangui
Africa/Douala: Douala, Yaoundé
Africa/Malabo: Malabo, Ciudad de la Paz
Africa/Sao_Tome: São Tomé
Africa/Libreville: Libreville
Africa/Brazzaville: Brazzaville, Pointe-Noire
Africa/Kinshasa: Kinshasa = Léopoldville
Africa/Lubumbashi: Lubumbashi, Goma, Bukavu, Kisangani, Mbuji-Mayi
Africa/Luanda: Luanda
Africa/Windhoek: Windhoek
Africa/Gaborone: Gaborone
Africa/Johannesburg: Johannesburg = Joburg, Cape Town = Kaapstad, Pretoria = Tshwane, Durban = eThekwini, Bloemfontein, Port Elizabeth = Gqeberha, Soweto
Africa/Maseru: Maseru
Africa/Mbabane: Mbabane, Lobamba
Africa/Maputo: Maputo = Lourenço Marques, Beira
Africa/Harare: Harare = Salisbury Rhodesia, Bulawayo
Africa/Lusaka: Lusaka, Ndola, Victoria Falls
Africa/Blantyre: Lilongwe, Blantyre
Africa/Dar_es_Salaam: Dar es Salaam, Dodoma, Zanzibar, Arusha
Africa/Nairobi: Nairobi, Mombasa, Kisumu
Africa/Kampala: Kampala, Entebbe
Africa/Kigali: Kigali
Africa/Bujumbura: Bujumbura, Gitega
Africa/Addis_Ababa: Addis Ababa = Addis Abeba
Africa/Asmara: Asmara = Asmera
Africa/Djibouti: Djibouti City
Africa/Mogadishu: Mogadishu = Muqdisho, Hargeisa
Africa/Khartoum: Khartoum, Omdurman
Africa/Juba: Juba
Atlantic/Cape_Verde: Praia
Atlantic/St_Helena: Jamestown
Indian/Antananarivo: Antananarivo
Indian/Comoro: Moroni
Indian/Mauritius: Port Louis
Indian/Mahe: Mahé
Indian/Reunion: Saint-Denis Réunion
Indian/Mayotte: Mamoudzou
`
