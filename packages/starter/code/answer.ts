import { ToolError } from '@agent-task-service/engine/tool'
import { type CallConfig, taskTexts } from '../call-config.ts'
import { inReader } from '../web-search/reader.ts'
import { ENDED } from '../web-search/reader-process.ts'
import { headOf } from '../web-search/result-text.ts'
import { RunPages } from '../web-search/run-pages.ts'
import { CodeResult, LIMITS } from './result.ts'

/** Has the reader run the code, and frames what may hold text of a page, failures too. */
export async function answerCode(code: string, config: CallConfig): Promise<string> {
  const { signal = new AbortController().signal } = config
  const run = RunPages.of(config)
  const job = { name: 'runCode', args: [{ code, task: taskTexts(config), pages: run.whole }] } as const
  const { text, isError, isWeb } = CodeResult.parse(
    await inReader(run, signal, job).catch(error => {
      signal.throwIfAborted()
      throw new ToolError(
        error.message === ENDED
          ? `The code took too much time or memory, and was stopped: ${LIMITS}.`
          : 'Code cannot be run at present. Go on without it, or say so.',
      )
    }),
  )
  const shown = isWeb ? framed(text) : text
  if (isError) throw new ToolError(shown)
  return shown
}

/** Text of a page says so above it. None of its lines stands at the margin, so none can pass for another result. */
function framed(text: string): string {
  return `${headOf('Result over pages', 'code')}\n\n   ${text.replaceAll('\n', '\n   ')}`
}
