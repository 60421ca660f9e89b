import { seeded } from '../support/random.ts'
import { addHarderPages } from './harder-pages.ts'
import { type Add, paragraphsOf, type Question, type Web, type WebPage } from './page.ts'
import { pdf } from './pdf.ts'

const SYLLABLES =
  'ar bel cor dun el fen gor hal is jor kel lum mor nev or pel quin ros sten tor ul ven wyn yar zel'.split(
    ' ',
  )
const KINDS = ['bridge', 'museum', 'observatory', 'reservoir', 'railway', 'lighthouse', 'library', 'festival']
const FIRST =
  'Anna Boris Clara Dmitri Elena Farid Greta Hugo Ines Jonas Kamala Leo Mirela Noor Otto Petra'.split(' ')
const PLACES =
  'harbour valley hillside old town northern quarter river bank market square station park'.split(' ')

/** A known fact: how a page states it, how a person asks for it. */
const FACTS: readonly {
  key: string
  says: (name: string, value: string) => string
  asks: (name: string) => string
}[] = [
  {
    key: 'year',
    says: (n, v) => `After years of work ${n} was opened to the public in ${v}, later than planned.`,
    asks: n => `what year did ${n} open`,
  },
  {
    key: 'cost',
    says: (n, v) => `The bill for ${n} came to ${v} million crowns in the end.`,
    asks: n => `${n} how much did it cost million`,
  },
  {
    key: 'person',
    says: (n, v) => `${n} was designed by ${v}, who won the competition.`,
    asks: n => `who designed ${n}`,
  },
  {
    key: 'length',
    says: (n, v) => `From one end to the other ${n} measures ${v} metres.`,
    asks: n => `length of ${n} in metres`,
  },
  {
    key: 'visitors',
    says: (n, v) => `In its best season ${n} counted ${v} visitors.`,
    asks: n => `${n} number of visitors best season`,
  },
]
const FILLER = [
  (n: string, w: string) =>
    `The surroundings of ${n} are known for their ${w}, and many people come for a walk.`,
  (n: string, w: string) => `Local papers wrote about ${n} for months, mostly because of the ${w}.`,
  (_: string, w: string) =>
    `The council discussed the ${w} again, without coming to a decision that pleased everyone.`,
  (_: string, w: string) =>
    `A small exhibition on the ${w} can be seen during the summer, and admission is free.`,
  (n: string, w: string) => `Guides tell stories about ${n} and the ${w}, some of which may even be true.`,
  (_: string, w: string) => `The material was brought from far away, which explains the unusual ${w}.`,
]
const WORDS =
  'gardens masonry timetable lighting orchestra carpentry weather postcards volunteers restoration tickets echo railings archive plaster fishing'.split(
    ' ',
  )
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

/** A web of at least 300 pages on some 60 hosts, and 200 questions about it; the same for the same seed. */
export function makeWeb(seed: number): Web {
  const random = seeded(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from))
  const pages: WebPage[] = []
  const questions: Question[] = []
  const names = new Set<string>()
  while (names.size < 120) {
    const word = [pick(SYLLABLES), pick(SYLLABLES), pick(SYLLABLES)].join('')
    names.add(`${word[0]!.toUpperCase()}${word.slice(1)} ${pick(KINDS)}`)
  }
  const number = () => `${whole(2, 999)},${String(whole(0, 1000)).padStart(3, '0')}`
  const person = () =>
    `${pick(FIRST)} ${pick(SYLLABLES)}${pick(SYLLABLES)}son`.replace(
      / (\w)/,
      (_, letter) => ` ${letter.toUpperCase()}`,
    )
  const values: Record<string, () => string> = {
    year: () => String(whole(1790, 2015)),
    cost: () => `${whole(11, 900)}.${whole(1, 9)}`,
    person,
    length: number,
    visitors: number,
  }
  const paragraph = (name: string) =>
    Array.from({ length: whole(3, 6) }, () => pick(FILLER)(name, pick(WORDS))).join(' ')
  const host = () =>
    `www.${pick(SYLLABLES)}-${pick(['news', 'travel', 'wiki', 'city', 'atlas', 'forum'])}.example`
  const add: Add = ({ title, content, own, heading = title, kind = 'html', ...rest }) => {
    const type = { html: pick(['text/html', 'text/html; charset=utf-8']), pdf: 'application/pdf' }[kind]
    const body = kind === 'pdf' ? pdf(title, own) : framed(heading, content, rest, [...names].slice(0, 12))
    pages.push({
      ...{ title, content, type, body, host: host(), path: `/${pages.length + 1}.${kind}` },
      ...{ snippet: own[0]!.slice(0, 160), text: own.join('\n') },
    })
  }

  for (const [index, name] of [...names].entries()) {
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`
    const facts = FACTS.map(fact => ({ ...fact, value: values[fact.key]!() }))
    // An article with its facts deep inside.
    const paragraphs = Array.from({ length: whole(8, 20) }, () => paragraph(name))
    for (const { says, value } of facts) {
      const at = whole(3, paragraphs.length)
      paragraphs[at] =
        `${pick(FILLER)(name, pick(WORDS))} ${says(name, value)} ${pick(FILLER)(name, pick(WORDS))}`
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
    questions.push(...facts.map(({ asks, value }) => ({ kind: 'article', query: asks(name), answer: value })))
    // The same elsewhere.
    if (index % 3 === 0)
      add({
        title: `${title} (mirror)`,
        content: article,
        own: paragraphs,
      })
    // An older page with another figure.
    if (index % 4 === 1) {
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
      questions.push({
        kind: 'newer page',
        query: `how many seats in the hall of ${name} 2025`,
        answer: `${now} seats`,
      })
    }
    // A thread.
    if (index % 4 === 2) {
      const value = `platform ${whole(12, 99)}`
      const posts = Array.from(
        { length: whole(6, 14) },
        () =>
          `${pick(['I was there last week.', 'No idea, sorry.', 'Same question here.'])} ${pick(FILLER)(name, pick(WORDS))}`,
      )
      posts.splice(
        whole(2, posts.length),
        0,
        `Solved: the shuttle to ${name} leaves from ${value}, ask for the blue bus.`,
      )
      const thread = posts.map(
        (post, at) =>
          `<div class="post"><span class="author">${pick(FIRST)}${at}</span> <time datetime="2023-0${1 + (at % 9)}-11">11 ${at}</time><div class="body">${post}</div></div>`,
      )
      add({
        title: `How to get to ${name}?`,
        content: `<h1>How to get to ${name}?</h1>${thread.join('')}`,
        own: posts,
      })
      questions.push({ kind: 'thread', query: `where does the shuttle to ${name} leave`, answer: value })
    }
    // Another language.
    if (index % 4 === 3) {
      const { code, says, asks, filler } = OTHER_LANGUAGES[index % OTHER_LANGUAGES.length]!
      const value = String(whole(1000, 9999))
      const own = [filler, filler.repeat(3), `${filler} ${says(name, value)}`, filler.repeat(2)]
      add({
        title: `${title} (${code})`,
        content: `<h1>${title}</h1>${paragraphsOf(own)}`,
        language: code,
        own,
      })
      questions.push({ kind: `in ${code}`, query: asks(name), answer: value })
    }
    // A paper.
    if (index % 12 === 5) {
      const value = `${whole(101, 999)} kilowatts`
      const own = Array.from({ length: 8 }, () => paragraph(name))
      own[5] = `Measurements show that the turbine of ${name} delivers ${value} at full load.`
      add({
        title: `Technical report on ${name}`,
        kind: 'pdf',
        content: paragraphsOf(own),
        own,
      })
      questions.push({ kind: 'PDF', query: `turbine of ${name} kilowatts at full load`, answer: value })
    }
    if (index % 6 === 4) {
      const items = Array.from({ length: 9 }, () => `${pick(WORDS)} and ${pick(WORDS)}`)
      const value = `${pick(FIRST)} ${whole(100, 999)}`
      items[whole(4, 9)] = `spare key: ask for locker ${value}`
      const own = [`A list of what to bring to ${name}.`, ...items]
      add({
        title: `Checklist for ${name}`,
        content: `<h1>Checklist</h1><p>${own[0]}</p><h3>At the gate of ${name}</h3><ul>${items.map(item => `<li>${item}</li>`).join('')}</ul>`,
        own,
      })
      questions.push({ kind: 'list', query: `${name} checklist spare key locker`, answer: value })
    }
  }
  // Tables of several things each.
  const all = [...names]
  for (let at = 0; at + 12 <= all.length; at += 4) {
    const group = all.slice(at, at + 12)
    const columns = ['Height (m)', 'Staff', 'Rooms', 'Opened by']
    const rows = group.map(name => ({
      name,
      cells: [
        `${whole(10, 99)}.${whole(1, 9)}`,
        String(whole(100, 999)),
        String(whole(1000, 9999)),
        person(),
      ],
    }))
    const caption = `Key figures, volume ${at / 4 + 1}`
    const table = `<table><caption>${caption}</caption><thead><tr><th>Name</th>${columns.map(one => `<th>${one}</th>`).join('')}</tr></thead><tbody>${rows.map(({ name, cells }) => `<tr><td>${name}</td>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('')}</tbody></table>`
    const own = [
      `This survey compares buildings of the region, volume ${at / 4 + 1}.`,
      ...rows.map(({ name, cells }) => `${name} ${cells.join(' ')}`),
    ]
    add({
      title: `Survey of the region, volume ${at / 4 + 1}: staff, rooms, heights`,
      heading: 'Survey',
      content: `<h1>Survey</h1><p>${own[0]}</p>${paragraph('the region')}<h2>Figures</h2>${table}`,
      own,
    })
    const { name, cells } = rows[at % 8]!
    questions.push({
      kind: 'table',
      query: `survey volume ${at / 4 + 1} staff of ${name}`,
      answer: `${name} | ${cells[0]} | ${cells[1]}`,
    })
  }
  addHarderPages([...names], {
    whole,
    pick,
    person,
    paragraph,
    add,
    ask: question => questions.push(question),
  })
  const shuffled = questions
    .map(question => ({ question, key: random() }))
    .sort((one, other) => one.key - other.key)
  return { pages, questions: shuffled.slice(0, 200).map(({ question }) => question) }
}

/** A page with the usual frame: menus, a banner, a sidebar, a footer. */
function framed(
  title: string,
  content: string,
  { date = '', language = 'en' },
  links: readonly string[],
): Buffer {
  const menu = links.map(name => `<li><a href="/${encodeURIComponent(name)}">${name}</a></li>`).join('')
  return Buffer.from(`<!doctype html><html lang="${language}"><head><title>${title} | The Site</title><meta charset="utf-8">
${date && `<meta property="article:modified_time" content="${date}T08:00:00Z">`}<style>body{margin:0}</style></head><body>
<header class="site-header"><a href="/">The Site</a><nav><ul>${menu}</ul></nav></header>
<div id="cookie-banner">We value your privacy. Accept all cookies to open, visit and design your experience.</div>
<div class="layout"><main>${content}</main><aside class="sidebar"><h3>Most read</h3><ul>${menu}</ul></aside></div>
<div class="newsletter">Subscribe to our newsletter: every year thousands of visitors do.</div>
<footer>Copyright The Site. <a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer>
<script>document.write('Tracking of visitors')</script></body></html>`)
}
