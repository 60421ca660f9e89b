import { type Check, check } from '../check.ts'
import { figuresOf, outputOf } from '../session/replies.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { OutOfSight } from '../verdicts.ts'
import { FILLER, type Marked, markedPrompt, mentions, subject, variant } from './subject.ts'
import { expectNoneAgain, varies } from './variation.ts'

/** Of the tokens of the longest answer: it is cut, and tools are called before. Some providers take no cap below 16. */
const CAP_SHARE = 0.8
/** Likewise of an agent that varies, which may take less the next time. */
const VARIED_SHARE = 0.5
const LEAST_CAP = 20
/** Fewer tokens than this, of a step, may differ by chance. */
const LEAST_TOKENS = 100

/** Runs of one task, by the names of the members of `config` that each had. */
type Combined = ReadonlyMap<string, TaskRun>
/** Whether a member had its effect in a run; undefined if that cannot be seen. */
type Effect = (runs: Combined, names: readonly string[]) => boolean | undefined

/** Each member of config has its effect alone and beside each other one; that of disabled tools is another check's. */
export function membersBeside(session: Session): Check {
  return check(
    'run.config_beside',
    'system_prompt and max_tokens have the effect that they have alone beside every other member of config, too',
    async () => {
      await expectNoneAgain(session, async () => {
        const prompt = markedPrompt('GNU', FILLER)
        const runs = await combined(session, prompt)
        const effects: [string, Effect][] = [
          ['system_prompt', (...of) => isPrompted(prompt, ...of)],
          ['max_tokens', (...of) => !isWhole(runOf(...of))],
        ]
        const seen = effects.filter(([name, effect]) => isWhole(runOf(runs, [])) && effect(runs, [name]))
        if (seen.length === 0) throw new OutOfSight('neither has an effect on its longest answer')
        return seen.flatMap(([name, effect]) => {
          const subsets = [...runs.keys()].map(key => key.split(' ')).filter(names => names.includes(name))
          const lost = subsets.find(names => effect(runs, names) === false)
          if (lost === undefined) return []
          session.seen = [runOf(runs, [name]).run, runOf(runs, lost).run]
          return [`expected ${name} to have its effect, got none beside ${without(lost, name).join(' and ')}`]
        })
      })
    },
  )
}

const runOf = (runs: Combined, names: readonly string[]) => runs.get(names.join(' '))!
const without = (names: readonly string[], name: string) => names.filter(other => other !== name)
const isWhole = ({ run, problems }: TaskRun) => run.reply.status === 'success' && problems.length === 0

/** A run of the subject with each set of members. */
async function combined(session: Session, prompt: Marked): Promise<Combined> {
  const first = await session.once(subject)
  const enabled_tools = first.task.config?.enabled_tools ?? ['calculator', 'time']
  const share = (await varies(session)) ? VARIED_SHARE : CAP_SHARE
  const cap = Math.floor(share * Number(figuresOf(first.run).output_tokens)) || LEAST_CAP
  const max_tokens = Math.max(LEAST_CAP, cap)
  let configs: object[] = [{}]
  for (const member of [prompt.config, { max_tokens }, { enabled_tools }])
    configs = configs.flatMap(config => [config, { ...config, ...member }])
  const runs = new Map([['', first]])
  for (const config of configs.slice(1))
    runs.set(Object.keys(config).join(' '), await variant(session, 0, config))
  return runs
}

/** By the word that it asks for, which an agent that obeys alone says beside others too; else by what it adds to the tokens of as many steps. */
function isPrompted(prompt: Marked, runs: Combined, names: readonly string[]): boolean | undefined {
  const { run } = runOf(runs, names)
  if (mentions({ run }, prompt)) return true
  if (outputOf(run).trim() !== '' && mentions(runOf(runs, ['system_prompt']), prompt)) return false
  const addedTo = (others: readonly string[]) => {
    const [more, fewer] = [['system_prompt', ...others], others].map(of => figuresOf(runOf(runs, of).run))
    return more!.steps === fewer!.steps
      ? (Number(more!.input_tokens) - Number(fewer!.input_tokens)) / Number(more!.steps)
      : Number.NaN
  }
  const usual = addedTo([])
  const share = addedTo(without(names, 'system_prompt')) / usual
  return Math.abs(usual) < LEAST_TOKENS || Number.isNaN(share) ? undefined : share > 1 / 2
}
