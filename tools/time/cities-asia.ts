/** Asian cities by zone: `Zone: City = other name, City`. Capitals and large cities; read by `places.ts`. */
export const asia = `
Asia/Tokyo: Tokyo = Tōkyō = Tokio, Osaka = Ōsaka, Kyoto, Yokohama, Nagoya, Sapporo, Fukuoka, Kobe, Hiroshima, Nagasaki, Kawasaki, Sendai, Okinawa = Naha
Asia/Seoul: Seoul, Busan = Pusan, Incheon, Daegu, Daejeon, Gwangju, Jeju
Asia/Pyongyang: Pyongyang = P'yŏngyang
Asia/Shanghai: Beijing = Peking, Shanghai, Guangzhou = Canton, Shenzhen, Chengdu, Chongqing = Chungking, Tianjin = Tientsin, Wuhan, Hangzhou, Nanjing = Nanking, Xi'an = Xian, Suzhou, Harbin, Shenyang, Qingdao = Tsingtao, Dalian, Xiamen = Amoy, Kunming, Changsha, Zhengzhou, Dongguan, Foshan, Ningbo, Hefei, Jinan, Lhasa
Asia/Urumqi: Ürümqi = Urumchi, Kashgar = Kashi
Asia/Hong_Kong: Hong Kong = Hongkong = Kowloon
Asia/Macau: Macau = Macao
Asia/Taipei: Taipei = Taibei, Kaohsiung, Taichung, Tainan, Hsinchu
Asia/Ulaanbaatar: Ulaanbaatar = Ulan Bator
Asia/Hovd: Hovd = Khovd
Asia/Manila: Manila, Quezon City, Davao = Davao City, Cebu = Cebu City
Asia/Singapore: Singapore
Asia/Kuala_Lumpur: Kuala Lumpur = KL, Putrajaya, Penang = George Town Penang, Johor Bahru, Malacca = Melaka, Ipoh
Asia/Kuching: Kuching, Kota Kinabalu
Asia/Brunei: Bandar Seri Begawan
Asia/Jakarta: Jakarta = Djakarta = Batavia, Surabaya, Bandung, Medan, Semarang, Yogyakarta = Jogjakarta, Palembang
Asia/Pontianak: Pontianak
Asia/Makassar: Makassar = Ujung Pandang, Denpasar = Bali, Balikpapan, Manado, Nusantara
Asia/Jayapura: Jayapura
Asia/Dili: Dili
Asia/Ho_Chi_Minh: Ho Chi Minh City = Saigon = HCMC, Hanoi = Hà Nội, Da Nang, Hai Phong, Hue
Asia/Phnom_Penh: Phnom Penh, Siem Reap
Asia/Vientiane: Vientiane, Luang Prabang
Asia/Bangkok: Bangkok = Krung Thep, Chiang Mai, Phuket, Pattaya
Asia/Yangon: Yangon = Rangoon, Naypyidaw = Nay Pyi Taw, Mandalay
Asia/Kolkata: Mumbai = Bombay, Delhi, New Delhi, Bengaluru = Bangalore, Kolkata = Calcutta, Chennai = Madras, Hyderabad, Pune = Poona, Ahmedabad, Jaipur, Lucknow, Surat, Kanpur, Nagpur, Indore, Kochi = Cochin, Thiruvananthapuram = Trivandrum, Varanasi = Benares, Goa = Panaji, Chandigarh, Bhopal, Patna, Visakhapatnam, Coimbatore, Mysuru = Mysore, Amritsar, Srinagar, Guwahati, Agra, Gurgaon = Gurugram, Noida
Asia/Colombo: Colombo, Sri Jayawardenepura Kotte = Kotte, Kandy
Indian/Maldives: Malé
Asia/Kathmandu: Kathmandu = Katmandu, Pokhara
Asia/Thimphu: Thimphu = Thimbu
Asia/Dhaka: Dhaka = Dacca, Chittagong = Chattogram, Khulna
Asia/Karachi: Karachi, Lahore, Islamabad, Faisalabad, Rawalpindi, Peshawar, Multan, Quetta
Asia/Kabul: Kabul, Kandahar, Herat
Asia/Tehran: Tehran = Teheran, Mashhad, Isfahan = Esfahan, Shiraz, Tabriz
Asia/Baghdad: Baghdad, Basra, Mosul, Erbil = Arbil
Asia/Kuwait: Kuwait City
Asia/Riyadh: Riyadh, Jeddah = Jiddah, Mecca = Makkah, Medina, Dammam
Asia/Bahrain: Manama
Asia/Qatar: Doha
Asia/Dubai: Dubai, Abu Dhabi, Sharjah
Asia/Muscat: Muscat = Masqat
Asia/Aden: Sana'a = Sanaa, Aden
Asia/Amman: Amman
Asia/Damascus: Damascus, Aleppo, Homs
Asia/Beirut: Beirut = Beyrouth
Asia/Jerusalem: Jerusalem, Tel Aviv = Tel Aviv-Yafo, Haifa, Eilat
Asia/Gaza: Gaza = Gaza City
Asia/Hebron: Ramallah, Hebron, Bethlehem
Asia/Nicosia: Nicosia = Lefkosia, Limassol, Larnaca
Asia/Famagusta: Famagusta
Asia/Tbilisi: Tbilisi = Tiflis, Batumi
Asia/Yerevan: Yerevan = Erevan
Asia/Baku: Baku
Asia/Tashkent: Tashkent
Asia/Samarkand: Samarkand, Bukhara
Asia/Almaty: Almaty = Alma-Ata, Astana = Nur-Sultan, Shymkent
Asia/Aqtobe: Aqtobe = Aktobe
Asia/Bishkek: Bishkek = Frunze
Asia/Dushanbe: Dushanbe
Asia/Ashgabat: Ashgabat = Ashkhabad
Asia/Yekaterinburg: Yekaterinburg = Ekaterinburg = Sverdlovsk, Chelyabinsk, Ufa, Perm, Tyumen
Asia/Omsk: Omsk
Asia/Novosibirsk: Novosibirsk
Asia/Tomsk: Tomsk
Asia/Krasnoyarsk: Krasnoyarsk, Norilsk
Asia/Irkutsk: Irkutsk, Ulan-Ude
Asia/Yakutsk: Yakutsk
Asia/Vladivostok: Vladivostok, Khabarovsk
Asia/Magadan: Magadan
Asia/Sakhalin: Yuzhno-Sakhalinsk
Asia/Kamchatka: Petropavlovsk-Kamchatsky
`
