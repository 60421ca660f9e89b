import { type Maker, paragraphsOf } from './page.ts'

/** Questions worded differently from the page. */
const OTHER_WORDS: readonly {
  readonly asks: string
  readonly says: (value: string) => string
  readonly value: (maker: Maker) => string
}[] = [
  {
    asks: 'opening date',
    says: value => `It was inaugurated by the governor on a rainy Sunday in ${value}.`,
    value: ({ whole }) => `${whole(1790, 1999)}`,
  },
  {
    asks: 'architect',
    says: value => `The winning design was by ${value}, then unknown.`,
    value: ({ person }) => person(),
  },
  {
    asks: 'construction cost',
    says: value => `Its builders spent ${value} million crowns on it.`,
    value: ({ whole }) => `${whole(101, 999)}`,
  },
  {
    asks: 'number of employees',
    says: value => `At the last count ${value} persons were employed there.`,
    value: ({ whole }) => `${whole(101, 999)}`,
  },
]

/**
 * Pages that are harder to read: the answer uses a pronoun for its subject, which only a heading names; it is worded
 * unlike the question, far down a long page, in one row of hundreds, in an article's infobox, or among pages that repeat
 * the question and answer nothing.
 */
export function addHarderPages(names: readonly string[], maker: Maker): void {
  const inTurn = [addPronoun, addHeading, addOtherWords, addLongPage]
  for (const [index, name] of names.entries()) {
    inTurn[index % inTurn.length]!(name, paragraphsAbout(maker, name, 4, 8), maker)
    if (index % 5 === 0) addInfobox(name, maker)
    if (index % 5 === 1) addSpam(name, maker)
  }
  for (let volume = 1; volume <= 6; volume += 1) addRegister(volume, names, maker)
}

function paragraphsAbout({ whole, paragraph }: Maker, name: string, from: number, to: number): string[] {
  return Array.from({ length: whole(from, to) }, () => paragraph(name))
}

function addPronoun(name: string, own: string[], { whole, add, ask }: Maker): void {
  const value = `${whole(103, 989)} masons`
  own.splice(whole(2, own.length), 0, `It was raised by ${value}, half of them from abroad, in two summers.`)
  add({ title: `Builders of ${name}`, content: paragraphsOf(own), own })
  ask({ kind: 'pronoun', query: `how many masons raised ${name}`, answer: value })
}

function addHeading(name: string, own: string[], { whole, paragraph, add, ask }: Maker): void {
  const value = `${whole(7, 11)}.${whole(10, 59)} to ${whole(15, 20)}.${whole(10, 59)}`
  const texts = [...own, `Tuesday to Sunday, ${value}; last admission half an hour before.`]
  const content = `${paragraphsOf(own)}<h2>Opening hours</h2><p>${texts.at(-1)}</p><h2>Getting there</h2><p>${paragraph(name)}</p>`
  add({ title: `Visiting ${name}`, content, own: texts })
  ask({ kind: 'heading', query: `${name} opening hours`, answer: value })
}

function addOtherWords(name: string, own: string[], maker: Maker): void {
  const { whole, pick, add, ask } = maker
  const { asks, says, value } = pick(OTHER_WORDS)
  const answer = value(maker)
  own.splice(whole(2, own.length), 0, says(answer))
  add({ title: `${name}: a portrait`, content: paragraphsOf(own), own })
  ask({ kind: 'other words', query: `${name} portrait ${asks}`, answer })
}

function addLongPage(name: string, _: string[], maker: Maker): void {
  const { whole, add, ask } = maker
  const value = `${whole(1001, 9999)} lamps`
  const own = paragraphsAbout(maker, name, 150, 250)
  own.splice(Math.floor(own.length * 0.8), 0, `In the end ${value} were hung in the great nave.`)
  add({ title: `A long history of ${name}`, content: paragraphsOf(own), own })
  ask({ kind: 'long page', query: `${name} how many lamps in the great nave`, answer: value })
}

function addInfobox(name: string, maker: Maker): void {
  const { whole, pick, person, add, ask } = maker
  const box = {
    Owner: person(),
    Inspected: `${whole(1, 28)} May ${whole(2001, 2024)}`,
    Capacity: `${whole(1000, 9999)} guests`,
  }
  const rows = Object.entries(box).map(([key, value]) => `<tr><th>${key}</th><td>${value}</td></tr>`)
  const texts = [...paragraphsAbout(maker, name, 3, 6), ...Object.entries(box).map(entry => entry.join(' '))]
  const content = `<table class="infobox"><tr><th colspan="2">${name}</th></tr>${rows.join('')}</table>${paragraphsOf(texts.slice(0, -3))}`
  add({ title: `${name} in brief`, content, own: texts })
  const [key, answer] = pick(Object.entries(box))
  ask({ kind: 'infobox', query: `${name} in brief: ${key.toLowerCase()}`, answer })
}

function addSpam(name: string, maker: Maker): void {
  const { whole, paragraph, add, ask } = maker
  const value = `${whole(11, 99)} ducats`
  const texts = [
    ...paragraphsAbout(maker, name, 4, 8),
    `A night in the tower room of ${name} is let for ${value}.`,
    paragraph(name),
  ]
  add({ title: `Staying at ${name}`, content: paragraphsOf(texts), own: texts })
  const question = `price of a night in the tower room of ${name}`
  for (const wording of ['Price', 'Everything about the price', 'Cheapest price'])
    add({
      title: `${wording} of a night in the tower room of ${name}`,
      ...{ content: paragraphsOf(spam(question)), own: spam(question) },
    })
  ask({ kind: 'beside spam', query: question, answer: value })
}

function addRegister(volume: number, names: readonly string[], maker: Maker): void {
  const { whole, pick, person, add, ask } = maker
  const rows = Array.from({ length: 200 }, (_, at) =>
    [`${pick(names)} ${at}`, whole(10, 99), whole(1000, 9999), person()].map(String),
  )
  const head = ['Object', 'Floor', 'Inventory no.', 'Donor']
  const content = `<h1>Register, part ${volume}</h1><table><tr>${head.map(one => `<th>${one}</th>`).join('')}</tr>${rows
    .map(cells => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</table>`
  add({ title: `Register of objects, part ${volume}`, content, own: rows.map(cells => cells.join(' ')) })
  for (const cells of [rows[whole(50, 120)]!, rows[whole(120, 200)]!])
    ask({
      kind: 'row of 200',
      query: `register of objects part ${volume}: donor of ${cells[0]}`,
      answer: cells.join(' | '),
    })
}

/** Written to be found, and empty of content. */
function spam(question: string): string[] {
  return Array.from({ length: 5 }, () =>
    [
      `Many people ask: ${question}?`,
      `Here we look at the ${question}, and more.`,
      `The ${question} depends.`,
    ].join(' '),
  )
}
