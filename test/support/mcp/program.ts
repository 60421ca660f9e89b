/**
 * A program: an MCP server over standard input and output whose tools misbehave. Options:
 * `--waits-for=FILE`: stays silent until the file exists;
 * `--strict`: exits on a request before `initialize`, as servers on Rust's SDK do;
 * `--stubborn`: ignores every request to exit and every signal except SIGKILL.
 */
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer, listed, type Peer, text } from './peer.ts'

const [awaited] = process.argv.flatMap(argument => /^--waits-for=(.*)$/.exec(argument)?.[1] ?? [])
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
        process.stdout.write('this is no JSON\n{"nor": "JSON-RPC"}\n')
        process.stderr.write('hunter2 was here\n')
        return text('noisy')
    }
    return text(JSON.stringify(args))
  },
}

let isStrict = process.argv.includes('--strict')
createInterface({ input: process.stdin }).on('line', async line => {
  if (isStrict && JSON.parse(line).method !== 'initialize') process.exit(1)
  isStrict = false
  const reply = await answer(peer, JSON.parse(line))
  if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`)
})
