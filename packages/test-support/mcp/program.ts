/**
 * A program: an MCP server over standard input and output whose tools misbehave. Options:
 * `--waits-for=FILE`: stays silent until the file exists;
 * `--strict`: exits on a request before `initialize`, as servers on Rust's SDK do;
 * `--stubborn`: ignores every request to exit and every signal except SIGKILL;
 * `--floods-with=KIND`: once its tools are listed, reads no more and writes without end: a kind of floods.ts, or `one line`;
 * `--deaf`: once its tools are listed, reads no more;
 * `--asks=COUNT`: once its tools are listed, asks so many things at once.
 */
import { existsSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { FLOODS } from './floods.ts'
import { answer, listed, type Peer, text } from './peer.ts'

const option = (name: string) =>
  process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3)

const awaited = option('waits-for')
while (awaited !== undefined && !existsSync(awaited)) await sleep(20)
if (process.argv.includes('--stubborn')) {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 60_000)
}

const TOOLS = ['echo', 'env', 'pid', 'exit', 'hang', 'flood', 'noise']

const peer: Peer = {
  list: () => ({ tools: TOOLS.map(name => listed(name)) }),
  async call(name, args) {
    switch (name) {
      case 'env':
        return text(JSON.stringify(process.env))
      case 'pid':
        return text(String(process.pid))
      case 'exit':
        process.exit(1)
        break
      case 'hang':
        return await new Promise(() => {})
      case 'flood':
        return text('x'.repeat(args.length as number))
      case 'noise':
        for (let n = 0; n <= Number(args.lines ?? 0); n += 1)
          process.stdout.write('this is no JSON\n{"nor": "JSON-RPC"}\n')
        process.stderr.write('hunter2 was here\n')
        return text('noisy')
    }
    return text(JSON.stringify(args))
  },
}

function write(text: string): void {
  for (let left = Buffer.from(text); left.length > 0; ) {
    try {
      left = left.subarray(writeSync(1, left))
    } catch (error) {
      // Nobody has made room yet.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1)
    }
  }
}

/** What it does once its tools are listed. */
async function misbehave(): Promise<void> {
  const [kind, count] = [option('floods-with'), option('asks')]
  if (kind !== undefined || process.argv.includes('--deaf')) {
    process.stdin.pause()
    // Else it would end, having nothing to do.
    setInterval(() => {}, 1_000)
  }
  // The reply is sent first, and read.
  await sleep(50)
  for (let id = 1; id <= Number(count); id += 1) write(`${FLOODS.pings!(id)}\n`)
  if (kind === undefined) return
  const unit = FLOODS[kind]
  for (let id = 0; ; id += 100)
    write(unit ? Array.from({ length: 100 }, (_, n) => `${unit(id + n)}\n`).join('') : 'x'.repeat(65_536))
}

let isStrict = process.argv.includes('--strict')
createInterface({ input: process.stdin }).on('line', async line => {
  if (isStrict && JSON.parse(line).method !== 'initialize') process.exit(1)
  isStrict = false
  const reply = await answer(peer, JSON.parse(line))
  if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`)
  if (JSON.parse(line).method === 'tools/list') await misbehave()
})
