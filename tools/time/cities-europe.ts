/** European cities by zone: `Zone: City = other name, City`. Capitals and large cities; read by `places.ts`. */
export const europe = `
Europe/London: London, Manchester, Liverpool, Leeds, Glasgow, Edinburgh, Cardiff, Belfast, Bristol, Sheffield, Nottingham, Leicester, Oxford, Brighton, Southampton, Aberdeen
Europe/Dublin: Dublin = Baile Atha Cliath, Cork, Galway, Limerick
Europe/Lisbon: Lisbon = Lisboa, Porto = Oporto, Braga, Coimbra, Faro
Atlantic/Madeira: Funchal, Madeira
Atlantic/Azores: Ponta Delgada, Azores
Atlantic/Canary: Las Palmas = Gran Canaria, Santa Cruz de Tenerife = Tenerife, Canary Islands = Canaries
Africa/Ceuta: Ceuta, Melilla
Atlantic/Reykjavik: Reykjavík
Atlantic/Faroe: Tórshavn = Faroe Islands = Faroes
Europe/Madrid: Madrid, Barcelona, Seville = Sevilla, Zaragoza = Saragossa, Málaga, Bilbao, Murcia, Palma = Palma de Mallorca = Mallorca = Majorca, Ibiza, Alicante, Granada
Europe/Andorra: Andorra la Vella
Europe/Gibraltar: Gibraltar
Europe/Paris: Paris, Marseille = Marseilles, Lyon = Lyons, Toulouse, Nice, Nantes, Strasbourg, Bordeaux, Lille, Montpellier, Rennes, Cannes, Grenoble
Europe/Monaco: Monaco = Monte Carlo
Europe/Brussels: Brussels = Bruxelles = Brussel, Antwerp = Antwerpen = Anvers, Ghent = Gent, Bruges = Brugge, Liège
Europe/Luxembourg: Luxembourg City
Europe/Amsterdam: Amsterdam, Rotterdam, The Hague = Den Haag, Utrecht, Eindhoven, Groningen, Maastricht
Europe/Berlin: Berlin, Hamburg, Munich = München = Muenchen, Cologne = Köln = Koeln, Frankfurt = Frankfurt am Main, Stuttgart, Düsseldorf = Duesseldorf, Leipzig, Dresden, Hanover = Hannover, Nuremberg = Nürnberg, Bremen, Essen, Dortmund, Bonn, Heidelberg, Karlsruhe, Mannheim
Europe/Zurich: Zürich = Zuerich, Bern = Berne, Geneva = Genève = Genf, Basel = Basle, Lausanne, Lugano, Davos, Lucerne = Luzern
Europe/Vaduz: Vaduz
Europe/Vienna: Vienna = Wien, Salzburg, Graz, Innsbruck, Linz
Europe/Rome: Rome = Roma, Milan = Milano, Naples = Napoli, Turin = Torino, Florence = Firenze, Venice = Venezia, Bologna, Palermo, Genoa = Genova, Verona, Bari, Catania, Pisa
Europe/Vatican: Vatican City = Holy See
Europe/San_Marino: San Marino City
Europe/Malta: Valletta = La Valletta
Europe/Copenhagen: Copenhagen = København, Aarhus = Århus, Odense, Aalborg
Europe/Oslo: Oslo, Bergen, Trondheim, Stavanger, Tromsø
Arctic/Longyearbyen: Longyearbyen = Svalbard
Europe/Stockholm: Stockholm, Gothenburg = Göteborg, Malmö, Uppsala
Europe/Helsinki: Helsinki = Helsingfors, Tampere, Turku = Åbo, Espoo, Oulu
Europe/Mariehamn: Mariehamn
Europe/Tallinn: Tallinn, Tartu
Europe/Riga: Riga
Europe/Vilnius: Vilnius, Kaunas
Europe/Warsaw: Warsaw = Warszawa, Kraków = Cracow, Łódź, Wrocław, Poznań, Gdańsk = Danzig, Katowice, Szczecin, Lublin
Europe/Prague: Prague = Praha, Brno, Ostrava, Plzeň = Pilsen
Europe/Bratislava: Bratislava, Košice
Europe/Budapest: Budapest, Debrecen, Szeged
Europe/Ljubljana: Ljubljana, Maribor
Europe/Zagreb: Zagreb, Split, Dubrovnik, Rijeka
Europe/Sarajevo: Sarajevo, Mostar, Banja Luka
Europe/Belgrade: Belgrade = Beograd, Novi Sad, Niš, Pristina = Prishtina = Prishtinë
Europe/Podgorica: Podgorica
Europe/Skopje: Skopje
Europe/Tirane: Tirana = Tiranë
Europe/Athens: Athens = Athina, Thessaloniki = Salonica, Patras, Heraklion, Piraeus
Europe/Sofia: Sofia, Plovdiv, Varna
Europe/Bucharest: Bucharest = București, Cluj-Napoca = Cluj, Timișoara, Iași, Constanța, Brașov
Europe/Chisinau: Chișinău = Kishinev, Tiraspol
Europe/Kyiv: Kyiv = Kiev, Kharkiv = Kharkov, Odesa = Odessa, Dnipro = Dnepropetrovsk, Lviv = Lvov = Lwów, Zaporizhzhia = Zaporozhye, Donetsk
Europe/Simferopol: Simferopol, Sevastopol, Crimea
Europe/Minsk: Minsk, Gomel, Brest
Europe/Istanbul: Istanbul = Constantinople, Ankara, İzmir = Smyrna, Bursa, Antalya, Adana, Gaziantep
Europe/Moscow: Moscow = Moskva, Saint Petersburg = St. Petersburg = Leningrad = Sankt-Peterburg = Petrograd, Nizhny Novgorod, Kazan, Rostov-on-Don = Rostov, Voronezh, Sochi, Krasnodar, Murmansk, Arkhangelsk = Archangel
Europe/Kaliningrad: Kaliningrad = Königsberg
Europe/Samara: Samara
Europe/Saratov: Saratov
Europe/Volgograd: Volgograd = Stalingrad
Europe/Astrakhan: Astrakhan
Europe/Guernsey: Saint Peter Port
Europe/Jersey: Saint Helier
Europe/Isle_of_Man: Douglas
`
