import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// `npm run bench` writes this one.
const pages = globSync('{*.md,docs/**/*.md,{packages,test}/**/README.md}', {
  cwd: ROOT,
  // Of a new agent, whose paths these are.
  exclude: ['**/node_modules/**', 'packages/create/agent/**'],
}).filter(page => !page.endsWith('performance.md'))
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')
const isThere = (path: string) => globSync(path, { cwd: ROOT }).length > 0

test.each(pages)('%s names only existing files', page => {
  const text = read(page)
  // The reader creates these.
  const own = [...text.matchAll(/\*\*`([^`]+)`\*\*/g)].map(([, path]) => path)
  const prose = text.replaceAll(/```[\s\S]*?```/g, '')
  const paths = [
    ...prose.matchAll(/`((?:src|graph|tools|test|docs|packages|scripts|bench|evaluation)\/[\w./{},*-]+)`/g),
  ]
  const named = paths
    .map(([, path = '']) => path)
    // The folder of tests that the reader may delete.
    .filter(path => !own.includes(path) && !path.includes('/my-') && !/^test\/own\b/.test(path))
  expect(named.filter(path => !isThere(path))).toEqual([])
})

// EVIDENCE-OF docs/guides/deployment.md: | Where do I report problems? |
test.each(pages)('%s links only to existing targets', page => {
  const links = [...read(page).matchAll(/\]\(([^)\s:]*)\)/g)].map(([, link = '']) => link)
  const broken = links.filter(link => {
    const [path = '', heading] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(ROOT, target))) return true
    return heading !== undefined && !headingsOf(read(target)).includes(heading)
  })
  expect(broken).toEqual([])
})

test('pages name only doors that packages have', () => {
  const doors = globSync('packages/*/package.json', { cwd: ROOT }).flatMap(path => {
    const { name, exports } = JSON.parse(read(path))
    return [name, ...Object.keys(exports).map(door => name + door.slice(1))]
  })
  // The first column of a table there has what was.
  const isOld = (page: string) => (page === 'docs/guides/upgrading.md' ? /^\| .*?(?= \| )/gm : /(?!)/g)
  const texts = pages
    .filter(page => page !== 'CHANGELOG.md')
    .map(page => read(page).replaceAll(isOld(page), ''))
  const named = texts.flatMap(text => text.match(/@agent-task-service(?:\/[\w-]+)+(?![\w/…-])/g) ?? [])
  expect(named).toContain('@agent-task-service/wire/contract')
  const isDoor = (name: string) => doors.some(door => matchesGlob(name, door))
  expect(named.filter(name => !isDoor(name))).toEqual([])
})

/** GitHub's anchor for a heading. */
function headingsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
