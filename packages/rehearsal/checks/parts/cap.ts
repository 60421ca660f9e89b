import { sumOf } from '../../figures.ts'
import { advice, type Check, check } from '../check.ts'
import { type CheckedRun, figuresOf, PROSE_PER_TOKEN } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, OutOfSight } from '../verdicts.ts'
import { subject } from './subject.ts'
import { expectNoneAgain } from './variation.ts'

/** Of one run each. Some providers take no cap below 16. */
const CAPS = [20, 5]
const LEAST_CAP = 16
/** Of a number, tokenizers read no more at once. */
const DIGITS = 4

/** Whether max_tokens has an effect. How it counts several calls, and thoughts, can only be inferred. */
export function cap(session: Session): Check[] {
  return [
    check(
      'run.max_tokens_caps',
      `The text of a successful run stays within its max_tokens, if that is ${LEAST_CAP} or more, whatever counts as a token`,
      async () => {
        const runs = await session.once(cappedRuns)
        await expectNoneAgain(session, async tries =>
          (tries === 0 ? runs : await cappedRuns(session)).flatMap(run => excess(run)),
        )
        const whole = String((await session.once(subject)).run.reply.output)
        if (leastTokens(whole) <= LEAST_CAP)
          throw new OutOfSight(`its longest answer may have no more than ${LEAST_CAP} tokens`)
      },
    ),
    advice(
      'run.max_tokens_unit',
      `A token of max_tokens is one of a tokenizer: no character, and no number of more than ${DIGITS} digits`,
      async () => {
        const runs = await session.once(cappedRuns)
        expectNone(runs.flatMap(run => excess(run, leastTokensOfNumbers)))
        const whole = String((await session.once(subject)).run.reply.output)
        const isInCharacters = (run: CheckedRun) =>
          whole.length > capOf(run) && run.reply.output === whole.slice(0, capOf(run))
        if (runs.every(isInCharacters)) throw new Failed('expected tokens of text, got as many characters')
      },
    ),
    advice(
      'run.max_tokens_counts',
      'output_tokens of a run stay within its max_tokens: those of all calls, and thoughts, however few',
      async () => {
        const over = (await session.once(cappedRuns)).filter(
          run => Number(figuresOf(run).output_tokens) > capOf(run),
        )
        expectNone(
          over.map(
            run => `expected at most ${capOf(run)} output_tokens, got ${figuresOf(run).output_tokens}`,
          ),
        )
      },
    ),
  ]
}

const capOf = ({ request }: CheckedRun) => Number(request.config?.max_tokens)

/** Runs of the subject under several caps. */
async function cappedRuns(session: Session): Promise<CheckedRun[]> {
  const { task } = await session.once(subject)
  const runs: CheckedRun[] = []
  for (const max_tokens of CAPS) runs.push((await session.runTask(task, undefined, { max_tokens })).run)
  return runs
}

/** How the text of a run exceeds its cap. */
export function excess(run: CheckedRun, count = leastTokens): string[] {
  if (run.reply.status !== 'success') return []
  const [most, least] = [Math.max(LEAST_CAP, capOf(run)), count(String(run.reply.output))]
  return least > most
    ? [`expected text of at most ${most} tokens for a max_tokens of ${capOf(run)}, got ${least} or more`]
    : []
}

const wordsIn = (text: string) => text.match(/\S+/g) ?? []

/** However an agent counts: it has fewer neither than words, nor than one for eight characters. */
const leastTokens = (text: string) => Math.min(wordsIn(text).length, Math.ceil(text.length / PROSE_PER_TOKEN))

/** Of any tokenizer: a word is one token at least, and a long number several. */
function leastTokensOfNumbers(text: string): number {
  const digits = wordsIn(text).map(word => word.replace(/\D/g, '').length)
  return sumOf(digits.map(count => Math.max(1, Math.ceil(count / DIGITS))))
}
