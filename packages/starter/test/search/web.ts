import { seeded } from '@agent-task-service/test-support/random'
import { pdf } from '@agent-task-service/test-support/web/pdf'
import { addHarderPages } from './harder-pages.ts'
import type { Add, Maker, Question, Web, WebPage } from './page.ts'
import { addPlainPages } from './plain-pages.ts'

const SYLLABLES =
  'ar bel cor dun el fen gor hal is jor kel lum mor nev or pel quin ros sten tor ul ven wyn yar zel'.split(
    ' ',
  )
const KINDS = ['bridge', 'museum', 'observatory', 'reservoir', 'railway', 'lighthouse', 'library', 'festival']
const FIRST =
  'Anna Boris Clara Dmitri Elena Farid Greta Hugo Ines Jonas Kamala Leo Mirela Noor Otto Petra'.split(' ')

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

/** A web of at least 300 pages on some 60 hosts, and 200 questions about it; the same for the same seed. */
export function makeWeb(seed: number): Web {
  const random = seeded(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from))
  const pages: WebPage[] = []
  const questions: Question[] = []
  const distinctNames = new Set<string>()
  while (distinctNames.size < 120) {
    const word = [pick(SYLLABLES), pick(SYLLABLES), pick(SYLLABLES)].join('')
    distinctNames.add(`${word[0]!.toUpperCase()}${word.slice(1)} ${pick(KINDS)}`)
  }
  const names = [...distinctNames]
  const firstName = () => pick(FIRST)
  const person = () =>
    `${firstName()} ${pick(SYLLABLES)}${pick(SYLLABLES)}son`.replace(
      / (\w)/,
      (_, letter) => ` ${letter.toUpperCase()}`,
    )
  const word = () => pick(WORDS)
  const sentence = (name: string) => pick(FILLER)(name, word())
  const paragraph = (name: string) => Array.from({ length: whole(3, 6) }, () => sentence(name)).join(' ')
  const host = () =>
    `www.${pick(SYLLABLES)}-${pick(['news', 'travel', 'wiki', 'city', 'atlas', 'forum'])}.example`
  const add: Add = ({ title, content, own, heading = title, kind = 'html', ...rest }) => {
    const type = { html: pick(['text/html', 'text/html; charset=utf-8']), pdf: 'application/pdf' }[kind]
    const body = kind === 'pdf' ? pdf(title, own) : framed(heading, content, rest, names.slice(0, 12))
    pages.push({
      ...{ title, content, type, body, host: host(), path: `/${pages.length + 1}.${kind}` },
      ...{ snippet: own[0]!.slice(0, 160), text: own.join('\n') },
    })
  }
  const ask = (question: Question) => void questions.push(question)
  const maker: Maker = { whole, pick, firstName, person, word, sentence, paragraph, add, ask }
  addPlainPages(names, maker)
  addHarderPages(names, maker)
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
