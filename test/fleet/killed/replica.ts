/** A replica whose tools do things in the world of the soak, told by `WORLD_URL`. */
import { defineAgent } from '@agent-task-service/engine'
import { runProcess } from '@agent-task-service/engine/process'
import { idempotencyKey } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { hintsFor } from './hints.ts'

const { WORLD_URL = '', DECLARES = 'yes' } = process.env
const schema = z.object({ task: z.string(), nth: z.number() })
const metadata = hintsFor(DECLARES)

/** @returns the body of the answer; `undefined`: 404 */
async function ask(path: string, signal?: AbortSignal): Promise<string | undefined> {
  const response = await fetch(`${WORLD_URL}/${path}`, { ...(signal && { signal }) })
  return response.status === 404 ? undefined : await response.text()
}

const effect = (name: 'pay' | 'mail') =>
  tool(async ({ task, nth }, runtime) => await ask(`${name}/${task}/${nth}/${idempotencyKey(runtime)}`), {
    name,
    description: name,
    schema,
    metadata,
  })

const look = tool(async ({ task, nth }) => await ask(`look/${task}/${nth}`), {
  name: 'look',
  description: 'looks',
  schema,
  metadata: { readOnlyHint: true, idempotentHint: true },
})

/** Only a payment can be looked up. */
const pay = Object.assign(effect('pay'), { lookup: (key: string) => ask(`lookup/${key}`) })

await runProcess(defineAgent({ ...agent, tools: { pay, mail: effect('mail'), look } }), process.env, {
  port: Number(process.argv[2] ?? 0),
  hostname: '127.0.0.1',
})
