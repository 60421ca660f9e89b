import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { honest, page, read } from '@agent-task-service/test-support/web/reading'
import { beforeEach, expect, test } from 'vitest'
import { MAIN, nodeArguments, readerShell } from '../../web-search/reader-process.ts'
import { hostilePages } from './hostile-pages.ts'

/** Longest time of a page, in milliseconds. */
const JOB_LIMIT_MS = 2_000
/** Unpacks for longer than the fake time needs to pass. */
const bomb = page(...hostilePages['PDF bomb of run lengths']!())

// Only what should run out of time does.
let time: FakeTime
beforeEach(() => {
  time = fakeTime()
})

test('a reader that is killed is replaced', async () => {
  await read(honest.text)
  const first = readerShell().pid!
  process.kill(first, 'SIGKILL')
  expect(await read(honest.text).catch(() => read(honest.text))).toMatchObject({
    passages: [{ text: 'still here' }],
  })
  expect(readerShell().pid).not.toBe(first)
})

// EVIDENCE-OF docs/reference/threat-model.md: Runs with such pages delay all reading: beside twelve of them, 12 honest searches take 10 s
//   and read no page (`node packages/starter/test/web-search/measure-hostile-runs.ts`).
test('a reader that hangs is ended, and the next page is read', async () => {
  await read(honest.text)
  process.kill(readerShell().pid!, 'SIGSTOP')
  const hanging = expect(read(honest.text)).rejects.toThrow('the reader ended')
  await time.pass(JOB_LIMIT_MS)
  await hanging
  expect(await read(honest.text)).toMatchObject({ passages: [{ text: 'still here' }] })
})

// EVIDENCE-OF docs/reference/threat-model.md: A run whose pages ran away twice reads no more, and other runs go first
test('a run whose pages run away twice reads no more; others go first meanwhile, and go on', async () => {
  const run = {}
  const order: string[] = []
  const note = (what: string) => () => void order.push(what)
  const failed = ({ name }: Error) => void order.push(name === 'PageError' ? 'not read' : 'ran away')
  await read(honest.text)
  const hostile = Array.from({ length: 5 }, () => read(bomb, run).then(note('read'), failed))
  const others = Array.from({ length: 4 }, () => read(honest.text).then(note('honest')))
  await time.pass(JOB_LIMIT_MS)
  await Promise.all(others)
  await time.pass(JOB_LIMIT_MS)
  await Promise.all(hostile)
  // The first was being read when the others came.
  expect(order.slice(0, 5)).toEqual(['ran away', 'honest', 'honest', 'honest', 'honest'])
  expect(order.slice(5)).toEqual(['ran away', 'not read', 'not read', 'not read'])
  await expect(read(honest.text, run)).rejects.toThrow('is not read, since other pages took too much')
  expect(await read(honest.text)).toMatchObject({ passages: [{ text: 'still here' }] })
})

// EVIDENCE-OF docs/reference/threat-model.md: The reader may read its own code and nothing else, write nothing, start
//   nothing, and has no environment
test('the reader may read its code and nothing else, write nothing, start nothing, and open no socket', async () => {
  const probe = `import { connect } from 'node:net'
  const { stdout } = process
  const write = stdout.write.bind(stdout)
  // The reader's first line says that it is ready.
  stdout.write = async line => {
    stdout.write = write
    const may = async act => { try { await act(); return 'may' } catch (error) { return error.code ?? error.message } }
    const fs = await import('node:fs')
    const { createRequire } = await import('node:module')
    fs.writeSync(1, JSON.stringify({
      code: await may(() => fs.readFileSync(${JSON.stringify(MAIN)})),
      elsewhere: await may(() => fs.readFileSync('/etc/passwd')),
      environment: await may(() => fs.readFileSync('/proc/self/environ')),
      write: await may(() => fs.writeFileSync('/tmp/reader-probe', '')),
      child: await may(async () => (await import('node:child_process')).spawnSync('true')),
      thread: await may(async () => new (await import('node:worker_threads')).Worker('1', { eval: true })),
      addon: await may(() => process.dlopen({ exports: {} }, '/nowhere.node')),
      sqlite: await may(() => import('node:sqlite')),
      eval: await may(() => eval('1')),
      socket: await may(() => import('node:net')),
      required: await may(() => createRequire('/')('net')),
      names: await may(() => import('dns/promises')),
      builtin: await may(() => process.getBuiltinModule('net')),
      fetch: await may(() => fetch('http://127.0.0.1:9')),
      stream: await may(() => new process.stdin.constructor()),
      held: await may(() => new Promise((resolve, reject) => {
        connect({ port: 9, host: '127.0.0.1' }).on('connect', resolve).on('error', reject)
      })),
    }))
  }`
  const args = [
    ...nodeArguments(),
    '--import',
    `data:text/javascript,${encodeURIComponent(probe)}`,
    MAIN,
    'key',
  ]
  const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'pipe', 'inherit'] })
  const found = new Promise<string>(resolve => {
    let output = ''
    child.stdout.on('data', part => {
      output += part
      const line = output.split('\n').find(line => line.startsWith('{"code"') && line.endsWith('}'))
      if (line) resolve(line)
    })
  })
  const may = JSON.parse(await found)
  child.kill('SIGKILL')
  await once(child, 'close')
  const denied = 'ERR_ACCESS_DENIED'
  expect(may).toMatchObject({
    code: 'may',
    elsewhere: denied,
    environment: denied,
    write: denied,
    child: denied,
  })
  expect(may).toMatchObject({ thread: denied, addon: 'ERR_DLOPEN_DISABLED' })
  for (const way of ['sqlite', 'eval', 'socket', 'required', 'names', 'builtin', 'fetch', 'stream'])
    expect([way, may[way]]).not.toEqual([way, 'may'])
  // Whatever code got hold of sockets before: Node 26 denies them, and Node 24 cannot.
  expect(may.held).toBe(process.allowedNodeEnvironmentFlags.has('--allow-net') ? denied : 'ECONNREFUSED')
})
