import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { judge } from '../../tasks/judge.ts'
import type { SampleTask } from '../../tasks/task.ts'
import { type Check, check } from '../check.ts'
import { outputOf } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, OutOfSight } from '../verdicts.ts'
import { repeat } from './repeated-text.ts'
import { rightOnes } from './subject.ts'
import { expectNoneAgain, persistent } from './variation.ts'

/** A line that asks nothing, before the task; an agent that takes no such thing as a task gets an empty one. */
const LINES_BEFORE = ['Please answer this question.', '']
/** What templates of prompts would fill in, and markup. */
const SIGNS =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of others
  '{name} {} {{user}} {% if x %} ${path} $HOME %s %(name)s <b>R&D</b> <!-- C:\\new "it\'s" “no”.'
const PROSE = 'The shop in our street sells tea, bread and honey, and opens at nine. '
/** Far less than a model reads, and more than an agent may cut an input to. */
const LONG = 5_000
const SHORT = 200
/** Of tasks among other text, from its start (0) to its end (1). */
const PLACES = [
  { name: 'at the end', at: () => 1 },
  { name: 'in the middle', at: () => 0.5 },
  { name: 'at the start', at: () => 0 },
  { name: 'somewhere', at: () => randomInt(100) / 100 },
]

/** An agent must read all of its task, as it is written. */
export const wholeInput = (session: Session): Check[] => [
  secondLine(session),
  signs(session),
  longInput(session),
]

function secondLine(session: Session): Check {
  return check('run.second_line', 'A task on its second line is done as on the first', async () => {
    const { task } = await session.reference()
    const line = await session.once(lineBefore)
    if (line === undefined) throw new OutOfSight('this agent does its task only now and then')
    await expectNoneAgain(session, () => lapsesOf(session, { ...task, input: `${line}\n${task.input}` }))
  })
}

const lapsesOf = async (session: Session, task: SampleTask) =>
  await session.lapses(await session.runTask(task))

/** The line before its task that this agent takes. */
async function lineBefore(session: Session): Promise<string | undefined> {
  const { task } = await session.reference()
  for (const line of LINES_BEFORE)
    if ((await lapsesOf(session, { ...task, input: `${line} ${task.input}` })).length === 0) return line
  return undefined
}

/** Such a text before a task, and in a prompt, changes as little as words do. */
function signs(session: Session): Check {
  return check(
    'run.signs',
    'Braces, percent signs and markup in input and system_prompt are text',
    async () => {
      const { task } = await session.reference()
      const line = await session.once(lineBefore)
      const prompted = (more: string) => ({
        ...task,
        config: { ...task.config, system_prompt: `You do tasks. ${more}` },
      })
      const asked = (more: string) => ({ ...task, input: `${line} ${more} ${task.input}` })
      const problems: string[] = []
      for (const [member, taskOf] of Object.entries({
        system_prompt: prompted,
        ...(line && { input: asked }),
      })) {
        const [problem] = await persistent(session, () => lapsesOf(session, taskOf(SIGNS)))
        if (problem === undefined || (await lapsesOf(session, taskOf('Thank you.'))).length > 0) continue
        problems.push(`with ${SIGNS} in ${member}: ${problem}`)
      }
      expectNone(problems)
    },
  )
}

/** How long an input may be, the contract leaves open: one that is refused is not cut. */
function longInput(session: Session): Check {
  const title = `Tasks among ${LONG} characters, the last one at the end, are done or not taken`
  return check('run.long_input', title, async () => {
    const [other, ...right] = (await rightOnes(session, 2, 1 + PLACES.length)).map(({ task }) => task)
    const last = right[0]!
    const alike = right.filter(({ config }) => isDeepStrictEqual(config, last.config))
    const among = async (tasks: readonly SampleTask[], text: string, length: number) => {
      const texts: string[] = Array(Math.ceil(length / text.length)).fill(text)
      for (const [index, { input }] of tasks.entries())
        texts[Math.floor(PLACES[index]!.at() * (texts.length - 1))] += `${input} `
      const { run } = await session.runTask({ ...last, input: texts.join('').trimEnd() })
      const lapses = tasks.flatMap(({ expect }, index) =>
        judge(expect, run.reply, run.when).map(lapse => `of the task ${PLACES[index]!.name}: ${lapse}`),
      )
      return { isTaken: run.reply.status === 'success', lapses }
    }
    for (const tasks of [alike, [last]])
      for (const text of [PROSE, `${other!.input} `]) {
        if ((await among(tasks, text, SHORT)).lapses.length > 0) continue
        return await expectNoneAgain(session, async () => {
          const { isTaken, lapses } = await among(tasks, text, LONG)
          // Where one at the end is done, the length is no reason.
          const isLong = isTaken || (await among([last], text, LONG)).lapses.length === 0
          return isLong ? lapses : await gapIn(session)
        })
      }
    throw new OutOfSight('this agent does its task only by itself')
  })
}

/** What lacks inside a text of that length which the agent repeats: its beginning and its end, and nothing else, are no refusal. */
async function gapIn(session: Session): Promise<string[]> {
  const pieces = Array.from({ length: Math.ceil(LONG / PROSE.length) }, () => `${randomInt(1_000)} ${PROSE}`)
  const sent = pieces.join('').trim()
  const got = outputOf(await session.run({ input: repeat(sent) })).trim()
  if (got.length >= sent.length) return []
  const start = [...got].findIndex((letter, index) => letter !== sent[index])
  const isJoined = start > 0 && sent.endsWith(got.slice(start))
  return isJoined ? [`expected ${sent.length} characters repeated, got them without some in the middle`] : []
}
