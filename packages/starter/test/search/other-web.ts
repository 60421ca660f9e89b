import { seeded } from '@agent-task-service/test-support/random'
import { pdf } from '@agent-task-service/test-support/web/pdf'
import { paragraphsOf, type Question, type Web, type WebPage } from './page.ts'

/** A page and its question. The texts are what an engine indexes; `sent` takes the place of the HTML. */
type Draft = [
  title: string,
  texts: readonly string[],
  query: string,
  answer: string,
  html: string,
  sent?: Pick<WebPage, 'type' | 'body'>,
]

const THINGS =
  'finish packaging delivery neighbours catalogue background tradition colours workshop seasons storage prints'.split(
    ' ',
  )
const SYLLABLES = 'bra cel dor fim gan hul jev kap lor mig nus pra qual rud sti tav vex wol yim zan'.split(
  ' ',
)
const AT_LATIN = { type: 'text/html', encoding: 'latin1', start: '<meta charset="iso-8859-1">' } as const
const AT_UTF_16 = { type: 'text/html', encoding: 'utf16le', start: '\ufeff' } as const

/** A web of 160 pages, ten of each of sixteen kinds that `makeWeb` lacks, with a question for each; the same for the same seed. */
export function makeOtherWeb(seed: number): Web {
  const random = seeded(seed)
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from))
  const pick = <Item>(items: readonly Item[]): Item => items[whole(0, items.length)]!
  const word = () => {
    const [first = '', ...rest] = pick(SYLLABLES)
    return [first.toUpperCase(), ...rest, pick(SYLLABLES), pick(SYLLABLES)].join('')
  }
  const prose = (name: string) =>
    Array.from(
      { length: 5 },
      () => `Notes about ${name} praise its ${pick(THINGS)} and ${pick(THINGS)}.`,
    ).join(' ')
  const some = (name: string) => Array.from({ length: whole(4, 12) }, () => prose(name))
  const among = (name: string, fact: string) => some(name).toSpliced(whole(1, 4), 0, fact)
  const inScript = (title: string, fact: string, query: string, answer: string, data: object): Draft => {
    const texts = some(title)
    const script = `<script type="application/ld+json">${JSON.stringify(data)}</script>`
    return [title, [...texts, fact], query, answer, `${script}<main>${paragraphsOf(texts)}</main>`]
  }
  const encoded = (
    title: string,
    filler: string,
    fact: string,
    query: string,
    answer: string,
    { type, encoding, start }: typeof AT_LATIN | typeof AT_UTF_16,
  ): Draft => {
    const texts = [filler.repeat(6), fact, filler.repeat(9)]
    const html = paragraphsOf(texts)
    return [title, texts, query, answer, html, { type, body: Buffer.from(start + html, encoding) }]
  }
  const inside = (name: string, fact: string, query: string, answer: string, open: string, close: string) => {
    const texts = among(name, fact)
    return [`About ${name}`, texts, query, answer, `${open}${paragraphsOf(texts)}${close}`] as Draft
  }

  const kinds: Readonly<Record<string, (name: string) => Draft>> = {
    'data sheet': name => {
      const rows = ['Width', 'Rated load', 'Noise'].map(key => [key, `${whole(1001, 9999)} units`] as const)
      const cells = rows.map(([key, value]) => `<div><span>${key}</span><span>${value}</span></div>`)
      const texts = [...some(name), ...rows.map(row => row.join(' '))]
      const html = `<main>${paragraphsOf(texts.slice(0, -3))}${cells.join('')}</main>`
      return [`${name} data sheet`, texts, `${name} data sheet rated load`, rows[1]!.join(' '), html]
    },
    'collapsed answer': name => {
      const answer = `${whole(101, 999)} days`
      const texts = THINGS.map(thing => `What about the ${thing} of ${name}? ${prose(name)}`)
      texts.splice(7, 0, `How long can I return ${name}? Within ${answer}.`)
      const html = texts.map(text => `<details><summary>${text.replace('?', '?</summary>')}</details>`)
      return [`${name} help`, texts, `${name} return within days`, answer, html.join('')]
    },
    'tab panel': name => {
      const answer = `${whole(1001, 9999)} lumens`
      const open = `<p>${prose(name)}</p><div role="tabpanel" style="display:none">`
      return inside(name, `It reaches ${answer}.`, `${name} lumens`, answer, open, '</div>')
    },
    'in a has-sidebar': name => {
      const answer = `${whole(1001, 9999)} litres`
      const open = '<div class="layout has-sidebar modal-open"><div class="content">'
      return inside(name, `The tank takes ${answer}.`, `${name} tank litres`, answer, open, '</div></div>')
    },
    'share price': name => {
      const answer = `${whole(1001, 9999)} crowns`
      const open = '<section id="share-price" class="related-standards">'
      return inside(name, `It closed at ${answer}.`, `${name} share closed at`, answer, open, '</section>')
    },
    'product in JSON-LD': name => {
      const answer = `price ${whole(1001, 9999)}.90`
      const offers = [{ price: answer.slice(6), priceCurrency: 'EUR' }]
      const data = { '@type': 'Product', name, offers }
      return inScript(`${name} shop`, `${answer} EUR`, `${name} shop price EUR`, answer, data)
    },
    'recipe in JSON-LD': name => {
      const answer = `${whole(101, 999)} g rye flour`
      const data = { '@graph': [{ '@type': 'Recipe', name, recipeIngredient: ['salt', answer] }] }
      return inScript(`${name} bread`, answer, `${name} bread how much rye flour`, answer, data)
    },
    'event in JSON-LD': name => {
      const answer = `2027-0${whole(1, 9)}-${whole(10, 28)}T19:${whole(10, 59)}`
      const data = [{ '@type': 'MusicEvent', name, startDate: answer, location: { name: word() } }]
      return inScript(`${name} concert`, `start date ${answer}`, `${name} concert start date`, answer, data)
    },
    'question in JSON-LD': name => {
      const answer = `${whole(1001, 9999)} volts`
      const acceptedAnswer = { '@type': 'Answer', text: `<p>It needs ${answer}.</p>` }
      const mainEntity = [{ '@type': 'Question', name: `Which voltage does ${name} need?`, acceptedAnswer }]
      const data = { '@type': 'FAQPage', mainEntity }
      return inScript(`${name} support`, `It needs ${answer}.`, `voltage that ${name} needs`, answer, data)
    },
    law: name => {
      const answer = `${whole(1001, 9999)} crowns`
      const texts = THINGS.map(thing => `The ${thing} under the ${name} Act is a matter for the authority.`)
      texts.splice(8, 0, `Whoever fails to register is liable to a fine of ${answer}.`)
      const html = texts.map((text, at) => `<h3>§ ${at + 1}</h3><p>${text}</p>`).join('')
      return [`${name} Act`, texts, `${name} Act fine for failing to register`, answer, html]
    },
    'error codes': name => {
      const codes = Array.from({ length: 60 }, () => [
        `E${whole(1000, 9999)}`,
        `check valve V${whole(100, 999)}`,
      ])
      const [code, answer] = codes[whole(20, 60)] as [string, string]
      const html = `<dl>${codes.map(([term, what]) => `<dt>${term}</dt><dd>${what}</dd>`).join('')}</dl>`
      const texts = codes.map(pair => pair.join(' '))
      return [`${name} manual`, texts, `${name} manual error ${code}`, answer, html]
    },
    'accepted answer': name => {
      const answer = `--retry=${whole(1001, 9999)}`
      const texts = among(name, `Accepted: start ${name} with ${answer}.`)
      const html = texts.map(text => `<div class="vote">${whole(0, 9)} votes</div><div><p>${text}</p></div>`)
      return [`${name} hangs`, texts, `${name} hangs: accepted answer`, answer, html.join('')]
    },
    'PDF sent as bytes': name => {
      const answer = `${whole(1001, 9999)} kelvin`
      const texts = among(name, `The sample of ${name} melts at ${answer}.`)
      const sent = { type: 'application/octet-stream', body: pdf(name, texts) }
      return [`Thesis on ${name}`, texts, `${name} sample melts at kelvin`, answer, '', sent]
    },
    'Latin-1': name => {
      const answer = `${whole(1001, 9999)} élèves`
      const [filler, fact] = [`La fête de ${name} est préparée par l'école. `, `L'école accueille ${answer}.`]
      return encoded(`École ${name}`, filler, fact, `combien d'élèves école ${name}`, answer, AT_LATIN)
    },
    'UTF-16': name => {
      const answer = `${whole(1001, 9999)} δραχμές`
      const [filler, fact] = [`Το νησί ${name} έχει παραλίες. `, `Το εισιτήριο κοστίζει ${answer}.`]
      return encoded(`Νησί ${name}`, filler, fact, `${name} εισιτήριο κοστίζει`, answer, AT_UTF_16)
    },
    'layout table': name => {
      const answer = `${whole(1001, 9999)} fathoms`
      const open = '<table><tr><td><a href="/">Home</a></td><td><h2>Wreck</h2>'
      return inside(
        name,
        `The wreck lies in ${answer}.`,
        `${name} wreck fathoms`,
        answer,
        open,
        '</td></tr></table>',
      )
    },
  }

  const pages: WebPage[] = []
  const questions: Question[] = []
  const menu = SYLLABLES.map(name => `<li><a href="/${name}">${name}</a></li>`).join('')
  for (const [kind, draft] of Object.entries(kinds))
    for (let count = 0; count < 10; count += 1) {
      const [title, texts, query, answer, html, sent] = draft(word())
      const body = Buffer.from(
        `<!doctype html><title>${title}</title><header><ul>${menu}</ul></header>${html}<footer>All rights</footer>`,
      )
      pages.push({
        ...{ host: `${pick(SYLLABLES)}.example`, path: `/${pages.length}`, title },
        ...{ type: 'text/html; charset=utf-8', body, ...sent, snippet: texts[0]!.slice(0, 120) },
        ...{ text: texts.join('\n'), content: paragraphsOf(texts) },
      })
      questions.push({ kind, query, answer })
    }
  return { pages, questions }
}
