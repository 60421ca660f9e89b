import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startProcess } from '../support/process.ts'

/** Attacks by Debian's slowhttptest, 500 connections each: the tool's slow headers, slow body and slow read. */
const ATTACKS = {
  headers: ['-H', '-i', '1', '-l', '25', '-t', 'GET'],
  body: ['-B', '-i', '1', '-l', '45', '-t', 'POST', '-f', 'application/json'],
  read: ['-X', '-l', '20', '-w', '1', '-y', '2', '-n', '5', '-z', '1', '-k', '5'],
}

test.each(Object.entries(ATTACKS))('slow %s from 500 connections', async (kind, args) => {
  const service = await startProcess()
  const path = kind === 'body' ? '/run' : '/health'
  const attack = spawn('slowhttptest', [
    '-c',
    '500',
    '-r',
    '250',
    '-p',
    '3',
    '-u',
    `${service.url}${path}`,
    ...args,
  ])
  let report = ''
  attack.stdout.on('data', chunk => {
    report += String(chunk)
  })
  const ended = once(attack, 'close').catch(error => {
    throw new Error("this needs Debian's package slowhttptest", { cause: error })
  })
  let isOver = false
  ended.finally(() => {
    isOver = true
  })
  let checks = 0
  while (!isOver) {
    const health = await fetch(`${service.url}/health`)
    expect(health.status).toBe(200)
    await health.text()
    checks += 1
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  await ended
  expect(checks).toBeGreaterThan(50)
  expect(report).toContain('YES')
  expect(report).not.toMatch(/service available:\s*\S*NO/)
  const left = await connections(Number(new URL(service.url).port))
  process.stdout.write(`slow ${kind}: ${checks} health checks answered, ${left} connections left\n`)
  // Our own health checks use one or two.
  expect(left).toBeLessThanOrEqual(5)
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

/** Established connections to a local port, from /proc/net/tcp (state 01). */
async function connections(port: number): Promise<number> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)
  return rows
    .map(row => row.trim().split(/\s+/))
    .filter(([, address, , state]) => address?.endsWith(local) && state === '01').length
}
