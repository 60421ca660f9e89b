import { ScriptedModel } from '@agent-task-service/engine/testing'
import { holds } from '@agent-task-service/test-support/holds'
import { type TestService, testService } from '@agent-task-service/test-support/service'
import { runResponse } from '@agent-task-service/wire/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const service: TestService = await testService({}, { models: [new ScriptedModel(() => 'fine').named()] })
const [tool = ''] = service.toolNames

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '\u0000', '__proto__'),
)
const anything = fc.oneof(fc.jsonValue(), anyText, fc.double(), fc.constant(undefined))
const orAnything = <Value>(good: fc.Arbitrary<Value>) => fc.oneof({ weight: 4, arbitrary: good }, anything)

const config = fc.record(
  {
    system_prompt: orAnything(anyText),
    max_tokens: orAnything(fc.integer({ min: 1, max: 9_000 })),
    enabled_tools: orAnything(fc.array(fc.oneof(fc.constant(tool), anyText), { maxLength: 15 })),
    another: anything,
  },
  { requiredKeys: [] },
)

/** Close to a run request, so that most of the contract is reached. */
const request = fc.record(
  {
    task_id: orAnything(
      fc.oneof(
        fc.uuid(),
        fc.nat().map(number => `test-${number}`),
      ),
    ),
    input: orAnything(anyText),
    config: orAnything(config),
    another: anything,
  },
  { requiredKeys: [] },
)

/** Whether an optional member is null: the contract's table says what that means. */
const hasNull = ({ config }: { config?: Record<string, unknown> | null }) =>
  config === null ||
  [config?.system_prompt, config?.max_tokens, config?.enabled_tools].some(member => member === null)

/** What the interface and docs/reference/errors.md say about a request, restated independently of the service. */
function isValid(body: unknown): boolean {
  const { task_id, input, config } = body as Record<string, unknown>
  const isId =
    typeof task_id === 'string' && /^(test-\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(task_id)
  if (!isId || /\n$/.test(task_id) || typeof input !== 'string' || input.trim() === '') return false
  if (config === undefined) return true
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return false
  const { system_prompt, max_tokens, enabled_tools } = config as Record<string, unknown>
  const isAbsentOr = (value: unknown, fits: boolean) => value === undefined || fits
  return (
    isAbsentOr(system_prompt, typeof system_prompt === 'string') &&
    isAbsentOr(max_tokens, Number.isSafeInteger(max_tokens) && (max_tokens as number) >= 1) &&
    isAbsentOr(
      enabled_tools,
      Array.isArray(enabled_tools) && enabled_tools.every(name => service.toolNames.includes(name)),
    )
  )
}

/** The run response in a reply: its body, or the content of the last event. */
async function responseIn(reply: Response): Promise<unknown> {
  const text = await reply.text()
  if (!reply.headers.get('content-type')?.startsWith('text/event-stream')) return JSON.parse(text)
  const last = text.trimEnd().split('\n\n').at(-1) ?? ''
  expect(last).toMatch(/^event: run_finished\n/)
  return JSON.parse(last.split('\ndata: ')[1] ?? '').response
}

// EVIDENCE-OF README.md: It is a LangGraph.js state machine behind a thin Hono server that keeps a marketplace's contract to
//   the letter.
// EVIDENCE-OF docs/reference/threat-model.md: | | Malformed, huge or slow requests stop or block it |
test('any object: 200, the shape of a run response, and success exactly if the request is valid', async () => {
  await holds(
    80,
    fc.asyncProperty(request, fc.boolean(), async (body, isStreamed) => {
      const sent = JSON.stringify(body)
      const reply = await service.post(sent, isStreamed ? { accept: 'text/event-stream' } : {})
      expect(reply.status).toBe(200)
      const response = runResponse.parse(await responseIn(reply))
      const came = JSON.parse(sent)
      if (!hasNull(came)) expect(response.status).toBe(isValid(came) ? 'success' : 'error')
      expect(response.task_id).toBe(typeof came.task_id === 'string' ? came.task_id : '')
      if (response.status === 'error') expect(response.error).toMatch(/^invalid request: /)
    }),
  )
})
