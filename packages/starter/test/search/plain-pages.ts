import { type Maker, paragraphsOf } from './page.ts'

const PLACES =
  'harbour valley hillside old town northern quarter river bank market square station park'.split(' ')

/** A known fact: how a page states it, how a person asks for it. */
const FACTS: readonly {
  readonly says: (name: string, value: string) => string
  readonly asks: (name: string) => string
  readonly value: (maker: Maker) => string
}[] = [
  {
    says: (n, v) => `After years of work ${n} was opened to the public in ${v}, later than planned.`,
    asks: n => `what year did ${n} open`,
    value: ({ whole }) => String(whole(1790, 2015)),
  },
  {
    says: (n, v) => `The bill for ${n} came to ${v} million crowns in the end.`,
    asks: n => `${n} how much did it cost million`,
    value: ({ whole }) => `${whole(11, 900)}.${whole(1, 9)}`,
  },
  {
    says: (n, v) => `${n} was designed by ${v}, who won the competition.`,
    asks: n => `who designed ${n}`,
    value: ({ person }) => person(),
  },
  {
    says: (n, v) => `From one end to the other ${n} measures ${v} metres.`,
    asks: n => `length of ${n} in metres`,
    value: withThousands,
  },
  {
    says: (n, v) => `In its best season ${n} counted ${v} visitors.`,
    asks: n => `${n} number of visitors best season`,
    value: withThousands,
  },
]

const OTHER_LANGUAGES = [
  {
    code: 'de',
    says: (n: string, v: string) => `Das Gewicht von ${n} beträgt ${v} Tonnen.`,
    asks: (n: string) => `${n} Gewicht in Tonnen`,
    filler: 'Die Umgebung ist bei Wanderern beliebt, und im Sommer finden Konzerte statt.',
  },
  {
    code: 'ru',
    says: (n: string, v: string) => `Общий вес ${n} составляет ${v} тонн.`,
    asks: (n: string) => `вес ${n} тонн`,
    filler: 'Окрестности любят туристы, а летом здесь проходят концерты.',
  },
  {
    code: 'ja',
    says: (n: string, v: string) => `${n} の総重量は ${v} トンです。`,
    asks: (n: string) => `${n} 総重量 トン`,
    filler: '周辺は散歩に人気があり、夏にはコンサートが開かれます。',
  },
]

/** Articles with their mirrors, older and newer pages, threads, other languages, papers, lists, and surveys of several things. */
export function addPlainPages(names: readonly string[], maker: Maker): void {
  for (const [index, name] of names.entries()) {
    addArticle(name, index % 3 === 0, maker)
    if (index % 4 === 1) addOlderAndNewer(name, maker)
    if (index % 4 === 2) addThread(name, maker)
    if (index % 4 === 3) addOtherLanguage(name, index, maker)
    if (index % 12 === 5) addPaper(name, maker)
    if (index % 6 === 4) addList(name, maker)
  }
  for (let at = 0; at + 12 <= names.length; at += 4) addSurvey(at, names.slice(at, at + 12), maker)
}

/** An article with its facts deep inside. */
function addArticle(name: string, isMirrored: boolean, maker: Maker): void {
  const { whole, pick, sentence, paragraph, add, ask } = maker
  const title = capitalized(name)
  const facts = FACTS.map(fact => ({ ...fact, value: fact.value(maker) }))
  const paragraphs = Array.from({ length: whole(8, 20) }, () => paragraph(name))
  for (const { says, value } of facts) {
    const at = whole(3, paragraphs.length)
    paragraphs[at] = `${sentence(name)} ${says(name, value)} ${sentence(name)}`
  }
  // Restores what one fact overwrote.
  const missing = facts.filter(
    ({ says, value }) => !paragraphs.some(text => text.includes(says(name, value))),
  )
  paragraphs.push(...missing.map(({ says, value }) => `${paragraph(name)} ${says(name, value)}`))
  const sections = paragraphs.map(
    (text, at) =>
      `${at % 4 === 2 ? `<h2>${pick(['History', 'Building', 'Today', 'In the press'])}</h2>` : ''}<p>${text}</p>`,
  )
  const article = `<h1>${title}</h1>${sections.join('\n')}`
  add({
    title: `${title} – ${pick(PLACES)} guide`,
    heading: title,
    content: article,
    date: '2024-03-05',
    own: paragraphs,
  })
  for (const { asks, value } of facts) ask({ kind: 'article', query: asks(name), answer: value })
  // The same elsewhere.
  if (isMirrored) add({ title: `${title} (mirror)`, content: article, own: paragraphs })
}

/** An older page with another figure. */
function addOlderAndNewer(name: string, { whole, paragraph, add, ask }: Maker): void {
  const title = capitalized(name)
  const [before, now] = [String(whole(100, 499)), String(whole(500, 999))]
  for (const [seats, date] of [
    [before, '2011-06-01'],
    [now, '2025-02-01'],
  ] as const) {
    const text = `As of ${date.slice(0, 4)} the great hall of ${name} has ${seats} seats, as the management states.`
    const own = [paragraph(name), paragraph(name), text, paragraph(name)]
    add({
      title: `${title}: practical information`,
      content: `<h1>${title}</h1>${paragraphsOf(own)}`,
      date,
      own,
    })
  }
  ask({ kind: 'newer page', query: `how many seats in the hall of ${name} 2025`, answer: `${now} seats` })
}

function addThread(name: string, { whole, pick, firstName, sentence, add, ask }: Maker): void {
  const value = `platform ${whole(12, 99)}`
  const posts = Array.from(
    { length: whole(6, 14) },
    () => `${pick(['I was there last week.', 'No idea, sorry.', 'Same question here.'])} ${sentence(name)}`,
  )
  posts.splice(
    whole(2, posts.length),
    0,
    `Solved: the shuttle to ${name} leaves from ${value}, ask for the blue bus.`,
  )
  const thread = posts.map(
    (post, at) =>
      `<div class="post"><span class="author">${firstName()}${at}</span> <time datetime="2023-0${1 + (at % 9)}-11">11 ${at}</time><div class="body">${post}</div></div>`,
  )
  add({
    title: `How to get to ${name}?`,
    content: `<h1>How to get to ${name}?</h1>${thread.join('')}`,
    own: posts,
  })
  ask({ kind: 'thread', query: `where does the shuttle to ${name} leave`, answer: value })
}

function addOtherLanguage(name: string, index: number, { whole, add, ask }: Maker): void {
  const title = capitalized(name)
  const { code, says, asks, filler } = OTHER_LANGUAGES[index % OTHER_LANGUAGES.length]!
  const value = String(whole(1000, 9999))
  const own = [filler, filler.repeat(3), `${filler} ${says(name, value)}`, filler.repeat(2)]
  add({
    title: `${title} (${code})`,
    content: `<h1>${title}</h1>${paragraphsOf(own)}`,
    language: code,
    own,
  })
  ask({ kind: `in ${code}`, query: asks(name), answer: value })
}

function addPaper(name: string, { whole, paragraph, add, ask }: Maker): void {
  const value = `${whole(101, 999)} kilowatts`
  const own = Array.from({ length: 8 }, () => paragraph(name))
  own[5] = `Measurements show that the turbine of ${name} delivers ${value} at full load.`
  add({ title: `Technical report on ${name}`, kind: 'pdf', content: paragraphsOf(own), own })
  ask({ kind: 'PDF', query: `turbine of ${name} kilowatts at full load`, answer: value })
}

function addList(name: string, { whole, firstName, word, add, ask }: Maker): void {
  const items = Array.from({ length: 9 }, () => `${word()} and ${word()}`)
  const value = `${firstName()} ${whole(100, 999)}`
  items[whole(4, 9)] = `spare key: ask for locker ${value}`
  const own = [`A list of what to bring to ${name}.`, ...items]
  add({
    title: `Checklist for ${name}`,
    content: `<h1>Checklist</h1><p>${own[0]}</p><h3>At the gate of ${name}</h3><ul>${items.map(item => `<li>${item}</li>`).join('')}</ul>`,
    own,
  })
  ask({ kind: 'list', query: `${name} checklist spare key locker`, answer: value })
}

/** A table of several things. */
function addSurvey(
  at: number,
  names: readonly string[],
  { whole, person, paragraph, add, ask }: Maker,
): void {
  const volume = at / 4 + 1
  const columns = ['Height (m)', 'Staff', 'Rooms', 'Opened by']
  const rows = names.map(name => ({
    name,
    cells: [`${whole(10, 99)}.${whole(1, 9)}`, String(whole(100, 999)), String(whole(1000, 9999)), person()],
  }))
  const caption = `Key figures, volume ${volume}`
  const table = `<table><caption>${caption}</caption><thead><tr><th>Name</th>${columns.map(one => `<th>${one}</th>`).join('')}</tr></thead><tbody>${rows.map(({ name, cells }) => `<tr><td>${name}</td>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('')}</tbody></table>`
  const own = [
    `This survey compares buildings of the region, volume ${volume}.`,
    ...rows.map(({ name, cells }) => `${name} ${cells.join(' ')}`),
  ]
  add({
    title: `Survey of the region, volume ${volume}: staff, rooms, heights`,
    heading: 'Survey',
    content: `<h1>Survey</h1><p>${own[0]}</p>${paragraph('the region')}<h2>Figures</h2>${table}`,
    own,
  })
  const { name, cells } = rows[at % 8]!
  ask({
    kind: 'table',
    query: `survey volume ${volume} staff of ${name}`,
    answer: `${name} | ${cells[0]} | ${cells[1]}`,
  })
}

function withThousands({ whole }: Maker): string {
  return `${whole(2, 999)},${String(whole(0, 1000)).padStart(3, '0')}`
}

function capitalized(name: string): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}`
}
