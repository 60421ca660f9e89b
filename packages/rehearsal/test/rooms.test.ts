import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { groups } from '@agent-task-service/rehearsal/checks'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The parts of the rehearsal: each may import those before it. The files above them serve all. */
const ROOMS = ['', 'agents', 'tasks', 'store', 'checks', 'platform', 'command']
/** The dashboard runs in the browser: it imports only what serves all, and none of the parts. */
const PAGES = 'pages'

const roomOf = (file: string) => (file.includes('/') ? file.split('/')[0]! : '')

test('the parts of the rehearsal import in one direction, types included', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['test'] }).map(file =>
    file.replaceAll('\\', '/'),
  )
  const imports = files
    .filter(file => file !== 'check.ts')
    .flatMap(file =>
      [...readFileSync(resolve(root, file), 'utf8').matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)]
        .map(([, to = '']) => relative(root, resolve(root, dirname(file), to)))
        .filter(to => !to.startsWith('..'))
        .map(to => ({ file, to, from: roomOf(file), into: roomOf(to) })),
    )
  expect(new Set(files.map(roomOf))).toEqual(new Set([...ROOMS, PAGES]))
  const wrong = imports.filter(({ from, into }) => {
    if (from === into) return false
    return from === PAGES || into === PAGES ? into !== '' : ROOMS.indexOf(into) > ROOMS.indexOf(from)
  })
  expect(wrong.map(({ file, to }) => `${file} imports ${to}`)).toEqual([])
})

test('every file among the check groups is one of them', () => {
  const files = globSync('*', { cwd: resolve(root, 'checks/groups') })
  expect(files.sort()).toEqual(groups.map(({ id }) => `${id}.ts`).sort())
})
