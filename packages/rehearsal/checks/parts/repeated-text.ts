import { randomInt } from 'node:crypto'
import { advice, type Check, check } from '../check.ts'
import { failuresOf, figuresOf, leastSteps, outputOf } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, OutOfSight } from '../verdicts.ts'
import { persistent, varies } from './variation.ts'

/**
 * Words of one kind of signs, with nothing in between but one blank. Each word has every sign of its kind, so that what
 * changes one sign changes each word.
 */
const KINDS: Readonly<Record<string, string>> = {
  'Latin letters': 'Größe Zoë Łódź Čapek Ñandú Çelik',
  capitals: 'Hello World TEA Honey BREAD Anna PAUL',
  'Greek letters': 'Ωμέγα Αθήνα λόγος θάλασσα φως Σωκράτης',
  'Cyrillic letters': 'Москва Ёлка щука Київ Ђорђе мир',
  'Arabic letters': 'سلام كتاب مدرسة قهوة شمس بحر',
  'Hebrew letters': 'שלום ספר מים לחם אור בית',
  'letters of East Asia': '東のカ안 京らタ녕 漢がナ한 字なメ국 ひモ你글 ト好は말',
  emoji: '😀 🚀 🦊 🍀 🎈 🐢 𝄞',
  'emoji of several signs': '🏳️‍🌈 🏴‍☠️ 👁️‍🗨️ ❤️‍🔥 ⛹️‍♀️ 🕵️‍♂️',
  'ligatures, full-width letters and the like': 'ﬁＡx² ﬂ①Ｂ ㎏ﬁＣ ｘⅣﬂ ²ｙﬁ',
  'typographic quotes': '“yes” “no” “tea” “bread” “honey”',
  'typographic apostrophes': 'it’s don’t she’s we’re can’t',
  'straight quotes': '"yes" "no" "tea" "bread" "honey"',
  'straight apostrophes': `it's don't she's we're can't`,
  'names in braces': '{name} {input} {user} {value} {text} {date}',
  'names in double braces': '{{name}} {{input}} {{user}} {{value}} {{text}} {{date}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of others
  'names after a dollar sign': '${name}$HOME ${input}$user ${value}$PATH $date${text}',
  'percent signs': '%s%d%(name)s %d%(user)s%s %(text)s%s%d %i%s%(date)s%d',
  'percent-encoded letters': '%20 %41 %C3%A3 %2B %3D',
  'signs of a replacement': '$$a$& $&b$$ c$$d$& $&$$5',
  'signs of Markdown': '**tea**_red_`sun` `sea`**blue**_two_ _one_`six`**ten** **hat**`cup`_pot_',
  tags: '<b>tea</b><br/> <i>red</i><hr/> <br/><p>sun</p> <em>sea</em><br/>',
  'entities of HTML':
    '&amp;&lt;&gt;&quot;&#39; &lt;a&gt;&amp;&#39;&quot; &#39;b&quot;&gt;&lt;&amp; &quot;&#39;c&amp;&lt;&gt;',
  backslashes: 'C:\\new\\temp a\\tb\\nc x\\ny\\tz D:\\two\\nine',
}
/** In these, a model's tokenizer may have a say (some compose letters), and a model: words with a blank of its own. */
const FORMS: Readonly<Record<string, string>> = {
  'line ends of Windows': 'one\r\ntwo red\r\nblue tea\r\nhoney sun\r\nsea',
  'line breaks': 'One\nTwo Red\nBlue Tea\nHoney Sun\nSea',
  'empty lines': 'one\n\nTwo red\n\nBlue tea\n\nHoney sun\n\nSea',
  tabs: 'one\ttwo red\tblue tea\thoney sun\tsea',
  'letters with combining marks':
    'cafe\u0301 Ange\u0301la sen\u0303or u\u0308ber franc\u0327ais A\u030angstrom',
}
const ALL = { ...KINDS, ...FORMS }
const WORDS_OF_EACH = 3
const TRIES = 3
const MOST_TRIES = 6
const PLAIN: Readonly<Record<string, string>> = { words: 'tea bread honey milk' }

/** What came back of words of one kind. */
type Part = Awaited<ReturnType<typeof repetition>>['parts'][number]

/**
 * Text that an agent repeats comes back as it was sent: of three texts with words of many kinds, something of each kind comes
 * back unchanged. If the agent repeats nothing, this cannot be checked.
 */
export function repeatedText(session: Session): Check[] {
  return [
    check('run.letters', 'Text that a reply repeats comes back as it was sent', async () => {
      const { lost, refused } = await session.once(repeated)
      expectNone(refused)
      expectKept(lost.filter(({ kind }) => kind in KINDS))
    }),
    advice(
      'run.lines',
      'Text that a reply repeats keeps its line breaks, tabs and combining marks',
      async () => {
        expectKept((await session.once(repeated)).lost.filter(({ kind }) => kind in FORMS))
      },
    ),
  ]
}

/** A run without tools is no error where none is needed. */
export function noTools(session: Session): Check {
  return check('run.no_tools', 'A task that takes no tool succeeds with an empty enabled_tools', async () => {
    const { run } = await session.once(letters)
    if (run.reply.status !== 'success' || Number(figuresOf(run).steps) > leastSteps(session.runs))
      throw new OutOfSight('this agent does not repeat text without tools')
    expectNone(failuresOf((await session.once(lettersWithConfig)).run))
  })
}

/** A run that no tool helps. */
export const letters = (session: Session) => repetition(session, ALL)
const lettersWithConfig = (session: Session) => repetition(session, ALL, { enabled_tools: [] })

/** @throws OutOfSight for an agent that does not repeat text */
async function repeated(session: Session): Promise<{ lost: readonly Part[]; refused: readonly string[] }> {
  const lost = await lostIn(session, letters)
  if (lost?.length === 0) return { lost: (await lostIn(session, lettersWithConfig)) ?? [], refused: [] }
  if (lost !== undefined) return { lost, refused: [] }
  const isDone = session.seen.some(({ reply }) => reply.status === 'success')
  if (isDone || (await repetition(session, PLAIN)).parts.length === 0)
    throw new OutOfSight('this agent does not repeat text')
  return { lost: [], refused: await refusals(session) }
}

/**
 * What is lost in each of three tries. Where nothing is left between two marks, or the agent does a task in the same way each
 * time, two of six tell: no model's slip does that twice.
 *
 * @returns undefined if nothing was repeated
 */
async function lostIn(session: Session, text: typeof letters): Promise<readonly Part[] | undefined> {
  const isVaried = await varies(session)
  const tries = [(await session.once(text)).parts]
  const repeating = () => tries.filter(parts => parts.length > 0).length
  const inTries = (least: number, isCounted: (part: Part) => boolean) =>
    [...Map.groupBy(tries.flat().filter(isCounted), ({ kind }) => kind).values()]
      .filter(({ length }) => length >= least)
      .map(([first]) => first!)
  const isCut = (part: Part) => isLost(part) && (part.isGone || (!isVaried && part.got !== ''))
  const [each, twice] = [() => inTries(repeating(), isLost), () => inTries(2, isCut)]
  const isOpen = () => inTries(1, isCut).length > twice().length
  while (
    tries.length < TRIES
      ? repeating() === 0 || isOpen() || each().length > twice().length
      : tries.length < MOST_TRIES && isOpen()
  )
    tries.push((await text(session)).parts)
  if (repeating() === 0) return undefined
  return [...new Map([...each(), ...twice()].map(part => [part.kind, part])).values()]
}

/** The kinds that fail a text which is repeated without them. */
async function refusals(session: Session): Promise<readonly string[]> {
  const found: string[] = []
  for (const [kind, words] of Object.entries(KINDS)) {
    const attempt = async () => failuresOf((await repetition(session, { [kind]: words })).run)
    const [problem] = await persistent(session, attempt)
    if (problem !== undefined) found.push(`a text with ${kind} (${words.split(' ')[0]}): ${problem}`)
  }
  if (found.length === 0) throw new OutOfSight('this agent does not repeat longer texts')
  return found
}

/** Nobody changes every word each time by chance. */
function isLost({ sent, got }: Part): boolean {
  return !sent.split(' ').some(word => ` ${got} `.includes(` ${word} `))
}

function expectKept(lost: readonly Part[]): void {
  const [first] = lost
  if (first === undefined) return
  throw new Failed(`${lost.map(({ kind }) => kind).join(', ')}: expected ${first.sent}, got ${first.got}`)
}

export const repeat = (text: string) => `Repeat this word for word, and say nothing else: ${text}`

/** Words of each kind, between marks that survive anything. */
function drawn(kinds: Readonly<Record<string, string>>) {
  const sent = shuffled(Object.entries(kinds)).map(([kind, words]) => {
    const all = words.split(' ')
    const from = randomInt(all.length)
    const some = [...all.slice(from), ...all.slice(0, from)].slice(0, WORDS_OF_EACH)
    return { kind, sent: some.join(' ') }
  })
  return { sent, text: `${sent.map((part, index) => `Q${index}x ${part.sent} `).join('')}Q${sent.length}x` }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const rest = [...items]
  return items.flatMap(() => rest.splice(randomInt(rest.length), 1))
}

/** A run that repeats words of these kinds, and what came back of each; none if nothing did. */
async function repetition(session: Session, kinds: Readonly<Record<string, string>>, config?: object) {
  const { sent, text } = drawn(kinds)
  const run = await session.run({ input: repeat(text), config })
  // Alternates between the texts and the numbers of the marks between them.
  const pieces = outputOf(run).split(/Q(\d{1,2})X/i)
  const found = new Map(
    pieces.flatMap((number, at) => {
      const isWhole = at % 2 === 1 && pieces[at + 2] === String(Number(number) + 1)
      return isWhole ? [[Number(number), pieces[at + 1]!.trim()] as const] : []
    }),
  )
  const parts = sent.map((part, index) => {
    const got = found.get(index)
    // Nothing is left between its marks.
    const isGone = got === ''
    return { ...part, got: got ?? '', isGone }
  })
  return { run, parts: found.size > 0 ? parts : [] }
}
