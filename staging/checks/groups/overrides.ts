import { type Check, Failed, NotRun } from '../check.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { words } from './words.ts'

const LONG = 'Take care to be exact and brief, and use the tools that you have. '.repeat(30)

/** Whether `config` has an effect. Seen from outside there are signs of it and no proof: all are advisory. */
export function overrides(session: Session): Check[] {
  const again = async (config: object) => metricsOf(await session.again(config))
  const sign = (
    name: string,
    title: string,
    why: string,
    config: object,
    look: () => Promise<void>,
  ): Check => ({
    id: `run.${name}`,
    title,
    mandatory: false,
    why,
    how: `${session.curlFirst()}\n${session.curlFirst(config)}`,
    look,
  })
  return [
    sign(
      'system_prompt_counts',
      'A longer system_prompt costs more input tokens',
      words.config,
      { system_prompt: LONG },
      async () => {
        const short = await again({ system_prompt: 'You do tasks.' })
        const long = await again({ system_prompt: LONG })
        const [fewer, more] = [Number(short.input_tokens), Number(long.input_tokens)]
        if (Number.isNaN(fewer + more) || short.steps !== long.steps)
          throw new NotRun('it needs two runs that succeed in as many steps')
        if (more <= fewer) throw new Failed(`expected more than ${fewer} input tokens, got ${more}`)
      },
    ),
    sign(
      'max_tokens_caps',
      'With max_tokens 1, a run that succeeds reports no more output tokens than that',
      words.maxTokens,
      { max_tokens: 1 },
      async () => {
        const { output_tokens: tokens } = await again({ max_tokens: 1 })
        if (Number(tokens) > 1) throw new Failed(`got ${tokens} output tokens`)
      },
    ),
    sign(
      'enabled_tools_apply',
      'Without tools a run that succeeds takes fewer steps than with them',
      words.enabledTools,
      { enabled_tools: [] },
      async () => {
        const { steps: before } = metricsOf(await session.reference())
        if (!(Number(before) > 1)) throw new NotRun('it needs a task that takes more than one step')
        const { steps: without } = await again({ enabled_tools: [] })
        if (Number(without) >= Number(before))
          throw new Failed(`expected fewer steps than the ${before} with tools, got ${without}`)
      },
    ),
  ]
}

/** Of a run that succeeded; nothing of any other. */
function metricsOf({ run: { reply } }: TaskRun): Readonly<Record<string, unknown>> {
  const { status, metrics } = reply
  return status === 'success' && typeof metrics === 'object' && metrics !== null ? { ...metrics } : {}
}
