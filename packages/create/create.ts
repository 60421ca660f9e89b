#!/usr/bin/env node
/**
 * Makes a new agent: copies a template and the packages that serve it, and gives it its name. It needs nothing but Node, and asks no
 * registry: nobody owns the packages' names there.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** What `npm run build:packages` puts next to this file. */
const TEMPLATES = join(import.meta.dirname, 'templates')
const PACKAGES = join(import.meta.dirname, 'packages')
/** How the package.json of an agent names the packages. */
const BROUGHT = 'file:packages/'
/** What a template calls its agent. */
const PLACEHOLDER = 'my-agent'
/** Fits npm, images and Kubernetes. */
const NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Vite takes these in a path for parts of a URL. */
const UNREADABLE = /[#?%]/
const EXIT_USAGE = 64

const templates = readdirSync(TEMPLATES).sort()

/** The first sentence about a template. */
const ideaOf = (template: string) =>
  readFileSync(join(TEMPLATES, template, 'README.md'), 'utf8').split('\n')[2]

const width = Math.max(...templates.map(name => name.length))
const USAGE = `npm run create -- FOLDER [--template NAME] [--name NAME]

Makes a new agent in an empty folder.

  --template NAME  what it begins as (full):
${templates.map(name => `                   ${name.padEnd(width)}  ${ideaOf(name)}`).join('\n')}
  --name NAME      of its package, image and service (the folder's)
  --help           this text
`

const { values, positionals } = readArguments()
if (values.help) {
  process.stdout.write(USAGE)
} else {
  const problems = problemsWith(positionals, values)
  if (problems.length > 0) refuse(problems)
  create(positionals[0]!, values)
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        template: { type: 'string', default: 'full' },
        name: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    return refuse([(error as Error).message])
  }
}

function refuse(problems: readonly string[]): never {
  const lines = ['the options are not valid:', ...problems.map(problem => `  ${problem}`)]
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(EXIT_USAGE)
}

type Values = ReturnType<typeof readArguments>['values']

function problemsWith(folders: readonly string[], { template, name }: Values): string[] {
  const [folder] = folders
  if (folder === undefined || folders.length > 1)
    return [`expected one folder, got ${folders.length}: npm run create -- FOLDER`]
  const problems: string[] = []
  if (!templates.includes(template))
    problems.push(`--template: expected one of ${templates.join(', ')}, got ${JSON.stringify(template)}`)
  const chosen = name ?? basename(resolve(folder))
  if (!NAME.test(chosen))
    problems.push(
      `--name: expected a name such as my-agent, in lower-case letters, digits and dashes, got ${JSON.stringify(chosen)}`,
    )
  if (
    existsSync(folder) &&
    !(statSync(folder).isDirectory() && readdirSync(folder).every(entry => entry === '.git'))
  )
    problems.push(`expected a new or an empty folder, got ${JSON.stringify(folder)}, which is not`)
  return problems
}

function create(folder: string, { template, name = basename(resolve(folder)) }: Values): void {
  const from = join(TEMPLATES, template)
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    // Names that npm would not pack begin with another character in the template.
    const to = join(folder, relative(from, path).replace(/(?<=^|[\\/])_/g, '.'))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, readFileSync(path, 'utf8').replaceAll(PLACEHOLDER, name))
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const version of Object.values<string>(manifest.dependencies))
    if (version.startsWith(BROUGHT)) {
      const file = version.slice(BROUGHT.length)
      cpSync(join(PACKAGES, file), join(folder, 'packages', file))
    }
  process.stdout.write(`${name} is in ${resolve(folder)}. Next:

  cd ${folder}
  npm install && npm start    # serves on http://localhost:8080
  npm test
`)
  if (UNREADABLE.test(resolve(folder)))
    process.stdout.write(
      '\nIts path has "#", "?" or "%", where vitest loads no tests: for "npm test", move it.\n',
    )
}
