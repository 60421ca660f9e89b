import { runResponse } from '@agent-task-service/wire/contract'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'
import { LEASE_MS, MAX_REPLY_LENGTH } from './claim-scripts.ts'
import { taskFields } from './task-fields.ts'

const [success, failure, timeout] = runResponse.options
/** What a reply has beside the interface's members. */
const more = {
  unknownEffects: z
    .array(z.string().regex(/^"[\w-]{1,64}";key="[\w-]{1,45}";begun="[\dTZ:.-]{24,27}"$/))
    .optional(),
}
const reply = z
  .string()
  .max(MAX_REPLY_LENGTH)
  .transform(text => parseJson(text))
  .pipe(z.discriminatedUnion('status', [success.extend(more), failure.extend(more), timeout.extend(more)]))

/** The task is ours, and this many replicas wait for its reply. `isCopied`: as many replicas of Redis know it as must. */
const ours = z
  .tuple([z.literal('ours'), z.int().min(0)])
  .transform(([state, waiting]) => ({ state, waiting, isCopied: true }))

/** The task is not ours, or not known. `rival`: another replica started it too, without knowing of us. */
const notOurs = <State extends string>(...states: State[]) =>
  z.tuple([z.literal(states)]).transform(([state]) => ({ state }))

const runId = z.string().regex(/^[\w-]{22}$/)

/** What each script may answer. Whatever else comes from Redis counts as no answer. */
export const answers = {
  claim: z
    .union([
      z
        .tuple([z.literal('run'), z.int().min(1), z.literal([0, 1]), runId], z.string())
        .transform(
          ([kind, fence, isTakenOver, run, ...fields]) => [kind, fence, isTakenOver, run, fields] as const,
        )
        .pipe(z.tuple([z.literal('run'), z.int(), z.literal([0, 1]), z.string(), taskFields])),
      z.tuple([z.literal('wait'), z.int().min(1).max(LEASE_MS)]),
      z.tuple([z.literal('reply'), reply]),
      z
        .tuple([z.literal('dead'), z.literal('lost')], z.string())
        .transform(([kind, why, ...fields]) => [kind, why, fields] as const)
        .pipe(z.tuple([z.literal('dead'), z.literal('lost'), taskFields])),
      z.tuple([z.literal('full')]),
      z.tuple([z.literal('invalid')]),
    ])
    // Redis is well, but what it holds for this task is not.
    .catch(['invalid']),
  beat: z.union([ours, notOurs('taken_over', 'rival', 'forgotten')]),
  finish: z.union([ours, notOurs('taken_over', 'rival')]),
  leave: z.unknown(),
  spend: z.tuple([z.literal('spent'), z.int().min(0)]),
} as const

export type ScriptAnswer<Name extends keyof typeof answers> = z.output<(typeof answers)[Name]>
