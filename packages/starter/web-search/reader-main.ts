/**
 * The program that reads pages, chooses passages and runs code, in a process of its own. A separate entry of the bundle, started by
 * `reader-process.ts`. Each line on its input is a job, in JSON; each line of its output a reply.
 */
import { registerHooks } from 'node:module'
import { createInterface } from 'node:readline'
import type { CodeJob } from '../code/sandbox.ts'
import type { choose } from './choose.ts'
import type { PageContent } from './fetch-page.ts'
import { readPage } from './read-page.ts'

/** What takes memory that reading does without: a tokenizer, an interpreter. */
const later = {
  choose: async () => await import('./choose.ts'),
  runCode: async () => await import('../code/sandbox.ts'),
}

const work = {
  readPage: async ({ base64, ...page }: SentPage) =>
    await readPage({ ...page, bytes: new Uint8Array(Buffer.from(base64, 'base64')) }),
  load: async (job: keyof typeof later) => void (await later[job]()),
  choose: async (...args: Parameters<typeof choose>) => await (await later.choose()).choose(...args),
  runCode: async (job: CodeJob) => await (await later.runCode()).runInSandbox(job),
}

/** A page as JSON can hold it. */
interface SentPage extends Omit<PageContent, 'bytes'> {
  readonly base64: string
}

type Work = typeof work
export type Job = { [Name in keyof Work]: { name: Name; args: Readonly<Parameters<Work[Name]>> } }[keyof Work]
export interface ReaderReply {
  readonly result?: unknown
  readonly error?: string
}

/** Starts each line meant for this process, and each of its replies: the process before it may have left half a line. */
const [, , key] = process.argv
const { stdin, stdout } = process
const reply = (value: ReaderReply) => stdout.write(`\n${key} ${JSON.stringify(value)}\n`)

// What an earlier page left behind must not end the next one's job.
process.on('uncaughtException', () => {}).on('unhandledRejection', () => {})
denyNetwork()
// Loads what reading needs, which no page's time is to be spent on.
await work.readPage({ type: 'text/html', charset: undefined, base64: '' })
reply({ result: 'ready' })
for await (const line of createInterface({ input: stdin })) {
  if (!line.startsWith(`${key} `)) continue
  try {
    const { name, args } = JSON.parse(line.slice(key!.length)) as Job
    reply({ result: await (work[name] as (...args: unknown[]) => unknown)(...args) })
  } catch (error) {
    reply({ error: String(error) })
  }
}

/**
 * Takes everything that could open a socket from the code that runs here: Node 24 has no permission for sockets. Node 26
 * has, and this process lacks it.
 */
function denyNetwork(): void {
  const networks = /^(?:node:)?(?:_?http|_?tls|cluster|dgram|dns|https|http2|inspector|net|quic)(?:$|[/_])/
  registerHooks({
    resolve(specifier, context, next) {
      if (networks.test(specifier)) throw new Error('the reader opens no sockets')
      return next(specifier, context)
    },
  })
  // A stream of the process would lead to the class of sockets.
  for (const name of ['stdin', 'stdout', 'stderr', 'getBuiltinModule', 'binding', '_linkedBinding'])
    Reflect.deleteProperty(process, name)
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name)
}
