import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { PROCESS_ENTRY, spawnProcess, startProcess } from '@agent-task-service/test-support/process'
import { CTRL_C, startInTerminal } from '@agent-task-service/test-support/terminal'
import { expect, test } from 'vitest'

/** Runs whose log lines do not fit into a pipe and its reader. */
const RUNS = 500

// EVIDENCE-OF docs/configuration.md: If settings are wrong, the process reports every problem at once and exits with code 1.
// EVIDENCE-OF docs/guides/deployment.md: If a setting is wrong, the process prints a line for each problem and exits with code 1.
// EVIDENCE-OF docs/reference/threat-model.md: It reports misspelt names, and does not start if a secret's is misspelt.
test('reports everything wrong with the environment at once, and exits with code 1', async () => {
  const started = spawnProcess({
    AGENT_ID: 'seven',
    MAX_STEPS: '0',
    MODEL_PROVIDER: 'openai',
    OPENAI_BASE_URL: 'localhost',
  })
  expect(await started.exited).toBe(1)
  expect(started.output).toEqual([])
  expect(started.errors().trim().split('\n')).toEqual([
    'the environment is not valid:',
    '  AGENT_ID: expected agent-<number>, got "seven"',
    '  OPENAI_BASE_URL: expected an http(s) URL without credentials, got something else (not shown)',
    '  MAX_STEPS: expected a whole number, 1 to 1000, got "0"',
    '  OPENAI_API_KEY: expected a value, since the model provider is openai (any word will do if the server needs no key); got nothing',
  ])
})

test('an agent that is not exported is named, with what was expected', async () => {
  const program =
    "import('@agent-task-service/engine/process').then(({ runProcess }) => runProcess(undefined, {}))"
  const started = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
  expect(started).toMatchObject({
    status: 1,
    stderr: 'src/agent.ts: expected it to export agent = defineAgent({ … }), got none\n',
  })
})

test('a stuck log reader delays neither tasks nor health checks', async () => {
  const { child, url, post, output } = await startProcess()
  child.stdout?.pause()
  const config = { enabled_tools: Array(12).fill('none') }
  const replies = Array.from({ length: RUNS }, async () => {
    const reply = await post({ task_id: 'test-1', input: 'a line of 400 bytes', config })
    return await reply.json()
  })
  expect((await Promise.all(replies)).length).toBe(RUNS)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  // Two lines from the start, and what the pipe took before it was full.
  expect(output.length).toBeLessThan(RUNS)
  const read = new Promise<void>(resolve => {
    const count = () => void (output.length >= RUNS + 2 ? resolve() : setImmediate(count))
    count()
  })
  child.stdout?.resume()
  await read
})

/** More than a pipe takes at once. */
const LONG_LINE = 2 ** 18

/** Both ways to end while a long line is still being written: the signal, what else it does, the exit code, the last messages. */
const ENDS = [
  { signal: 'SIGTERM', cause: '', code: 0, last: ['draining', 'stopped'] },
  { signal: 'SIGUSR2', cause: "Promise.reject(new Error('crash'))", code: 1, last: ['crashed'] },
] as const

function startWithLongLine({ signal, cause }: (typeof ENDS)[number]) {
  const hook = `process.once('${signal}', () => { console.log('x'.repeat(${LONG_LINE})); ${cause} })`
  const preload = `data:text/javascript,${encodeURIComponent(hook)}`
  return startProcess({ AGENT_TOKENS: 'some-token', LOG_ERRORS: 'full' }, ['--import', preload])
}

test.each(ENDS)('the last lines are written, in order, before it exits: $signal', async end => {
  const { child, exited, output } = await startWithLongLine(end)
  child.kill(end.signal)
  expect(await exited).toBe(end.code)
  const messages = output.map(line => JSON.parse(line).msg)
  // A tool may say earlier that its secrets are not set.
  expect(messages.slice(messages.indexOf('listening'))).toEqual([
    'listening',
    'x'.repeat(LONG_LINE),
    ...end.last,
  ])
})

test.each(ENDS)('a stuck log reader does not hold up the exit: $signal', async end => {
  const { child, exited, output } = await startWithLongLine(end)
  child.stdout?.pause()
  child.kill(end.signal)
  expect(await once(child, 'exit')).toEqual([end.code, null])
  child.stdout?.resume()
  await exited
  // Otherwise the reader was not stuck.
  expect(output.join()).not.toContain(end.last[0])
})

test.each(ENDS)('a log reader that is gone does not hold up the exit: $signal', async end => {
  const { child, exited, url } = await startWithLongLine(end)
  child.stdout?.destroy()
  expect((await fetch(`${url}/health`)).status).toBe(200)
  child.kill(end.signal)
  expect(await exited).toBe(end.code)
})

// EVIDENCE-OF docs/reference/tool-rules.md: An error in work that the tool does not await, such as a promise without `await`
//   or a callback, ends the process with the log line `crashed`.
test('a crash is one masked line, and a non-zero exit', async () => {
  const secret = 'sk-proj-CRASHcrashCRASH1234567890'
  const crash = `process.once('SIGUSR2', () => { Promise.reject(new Error('${secret}')) })`
  const service = await startProcess({ OPENAI_API_KEY: secret }, [
    '--import',
    `data:text/javascript,${encodeURIComponent(crash)}`,
  ])
  service.child.kill('SIGUSR2')
  expect(await service.exited).toBe(1)
  const fatal = service.output.map(line => JSON.parse(line)).filter(({ level }) => level === 'fatal')
  expect(fatal).toMatchObject([{ msg: 'crashed', err: { name: 'Error' } }])
  expect(service.output.join() + service.errors()).not.toContain(secret)
})

test('reports a port in use in one line, with what to do', async () => {
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(8080, '0.0.0.0', resolve).once('error', () => resolve()))
  const main = spawnProcess({}, ['src/main.ts'])
  expect(await main.exited).toBe(1)
  expect(main.errors()).toBe(
    'port 8080 is in use; stop the process that holds it (lsof -i :8080) and start again\n',
  )
  taken.close()
})

const loopback = Object.values(networkInterfaces()).flatMap(own => own ?? [])
const hasIPv6 = loopback.some(({ address }) => address === '::1')

// EVIDENCE-OF docs/reference/image.md: 8080, fixed by the interface, on every address: of IPv6 and IPv4, or of IPv4 where
//   there is no IPv6
test('listens on every address, of IPv6 and of IPv4, or of IPv4 where there is no IPv6', async () => {
  const { line } = await startProcess({ TEST_PORT: '0' })
  const { address, port } = await line(({ msg }) => msg === 'listening')
  if (hasIPv6) expect(address).toBe('::')
  for (const host of hasIPv6 ? ['[::1]', '127.0.0.1'] : ['127.0.0.1'])
    expect((await fetch(`http://${host}:${port}/health`)).status).toBe(200)
})

test('a signal before it listens stops it too, with exit code 0', async () => {
  const early = `import { Server } from 'node:net'
    const { listen } = Server.prototype
    Server.prototype.listen = function (...rest) {
      process.kill(process.pid, 'SIGTERM')
      return listen.apply(this, rest)
    }`
  const { exited } = spawnProcess({}, ['--import', `data:text/javascript,${encodeURIComponent(early)}`])
  expect(await exited).toBe(0)
})

// EVIDENCE-OF README.md: `npm ci` installs the one that runs the npm scripts, Node 24, or 26 on Apple Silicon.
test('reports a Node that is too old in one line, with what to do', async () => {
  const older = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })"
  const main = spawnProcess({}, [
    '--import',
    `data:text/javascript,${encodeURIComponent(older)}`,
    'src/main.ts',
  ])
  expect(await main.exited).toBe(1)
  expect(main.errors()).toMatch(/^expected Node 24 or newer, got 20\.20\.2: .*npm ci.*nodejs\.org\n$/)
  expect(main.output).toEqual([])
})

// EVIDENCE-OF docs/configuration.md: A name that looks misspelt (`MODL`) causes a warning that suggests the right one; if a
//   secret's is meant (`AGENT_TOKNES`), the process does not start.
// EVIDENCE-OF docs/guides/deployment.md: Anyone with one of `AGENT_TOKENS`; if there are none, everybody.
// EVIDENCE-OF docs/reference/threat-model.md: Without any token the service is open; one warning says so
test('an open service warns once, and names a misspelt variable with the right one, never with its value', async () => {
  const { line, output } = await startProcess({
    OPENAI_URL: 'http://a-value-that-nobody-should-see',
    PORT: '8099',
  })
  await line(({ msg }) => msg === 'no AGENT_TOKENS: /run is open to every caller')
  const isOwnTool = (msg: string) => msg.startsWith('tool not offered')
  const warnings = output
    .map(line => JSON.parse(line))
    .filter(({ level, msg }) => level === 'warn' && !isOwnTool(msg))
  expect(warnings.map(({ msg }) => msg)).toEqual([
    'unknown variable OPENAI_URL; did you mean OPENAI_BASE_URL?',
    'PORT is not read: the port is always 8080; publish it as another: docker run --publish 9000:8080',
    'no AGENT_TOKENS: /run is open to every caller',
  ])
  expect(output.join()).not.toContain('a-value')
})

test('in a terminal it prints its address, its model and a task to try', async () => {
  const terminal = startInTerminal([process.execPath, PROCESS_ENTRY], {
    env: { AGENT_TOKENS: 'a-token-nobody-sees', MODEL: 'gpt-9', OPENAI_API_KEY: 'none' },
  })
  await terminal.shows(/-d '\{"task_id"/)
  terminal.type(CTRL_C)
  expect(await terminal.exited).toBe(0)
  expect(terminal.text()).toMatch(/listens on http:\/\/localhost:\d+ until Ctrl-C\. Model: gpt-9\. /)
  expect(terminal.text()).toMatch(
    /curl -s localhost:\d+\/run -H 'Authorization: Bearer <one of AGENT_TOKENS>'/,
  )
  expect(terminal.text()).not.toContain('a-token-nobody-sees')
})

test('a user without a home directory: runs as anyone else', async () => {
  // As with a user id that /etc/passwd does not have.
  const preload = `
    import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    os.homedir = () => {
      if (!process.env.HOME) throw new Error('no entry in /etc/passwd')
      return process.env.HOME
    }
    syncBuiltinESMExports()`
  const { post } = await startProcess({}, ['--import', `data:text/javascript,${encodeURIComponent(preload)}`])
  const reply = await post({ task_id: 'test-1', input: 'What is 15% of 240?' })
  expect(await reply.json()).toMatchObject({ status: 'success', output: '15% of 240 = 36' })
})
