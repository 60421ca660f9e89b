import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Component, fullName, readBill } from './bill-of-materials.ts'

/** Licences that require only their text and the copyright notice. Adding another is a decision for people. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
]

const RULE = '-'.repeat(80)

/**
 * Writes `THIRD-PARTY-NOTICES.txt`: the licence texts of the bundled packages, from the bill of materials, and the legal
 * comments in code that they copied from others.
 *
 * @throws listing the packages whose licence is not permitted, or for one without a licence text
 */
export async function writeNotices(folder: string): Promise<void> {
  const { components } = await readBill(folder)
  const refused = components.filter(component => !isPermitted(licenceOf(component)))
  if (refused.length > 0) {
    const found = refused.map(component => `${nameOf(component)}: ${licenceOf(component) || 'no licence'}`)
    throw new Error(
      `expected licences of ${PERMISSIVE.join(', ')} in the bundle, got\n  ${found.join('\n  ')}`,
    )
  }
  const notices = components.map(component => noticeOf(component, components))
  const comments = await takeLegalComments(folder)
  const parts = [
    'This program contains code of the packages below, each under the terms that follow its name.\n',
    ...notices,
    ...(comments.length > 0 ? [`Notices inside the code of these packages\n\n${comments.join('\n\n')}`] : []),
  ]
  await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), `${parts.join(`\n${RULE}\n\n`)}\n`)
}

/** Whether permitted licences satisfy an SPDX expression: any of those joined by OR, all of those joined by AND or WITH. */
export function isPermitted(expression: string): boolean {
  const ids: string[] = expression.match(/[^\s()]+/g) ?? []
  const isPermissive = (id: string) => PERMISSIVE.includes(id)
  if (!ids.some(id => id === 'AND' || id === 'WITH')) return ids.some(isPermissive)
  return ids.every(id => id === 'AND' || isPermissive(id))
}

function licenceOf({ licenses = [] }: Component): string {
  const names = licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name ?? '')
  return names.length > 1 ? names.map(name => `(${name})`).join(' AND ') : (names[0] ?? '')
}

function nameOf(component: Component): string {
  return `${fullName(component)} ${component.version}`
}

function noticeOf(component: Component, all: readonly Component[]): string {
  const licence = licenceOf(component)
  const homepage = component.externalReferences?.find(({ type }) => type === 'website')?.url
  const head = [nameOf(component), `Licence: ${licence}`, ...(homepage ? [homepage] : [])].join('\n')
  const texts = textsOf(component)
  if (texts.length > 0) return [head, ...texts].join('\n\n')
  const alike = all.find(other => licenceOf(other) === licence && textsOf(other).length > 0)
  if (!alike) throw new Error(`expected a licence file in ${nameOf(component)}, got none: ${licence}`)
  const holder = component.author ?? `the authors of ${component.name}`
  return `${head}\n\nCopyright (c) ${holder}. The package has no licence file; its terms are the same as those of ${nameOf(alike)}.`
}

function textsOf({ evidence }: Component): string[] {
  return (evidence?.licenses ?? []).map(({ license }) =>
    Buffer.from(license.text.content, 'base64').toString().replaceAll('\r\n', '\n').trim(),
  )
}

/** Collects comments such as `@license`, without duplicates, from the bundler's files, and removes those files. */
async function takeLegalComments(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true }))
    .filter(path => path.endsWith('.LEGAL.txt'))
    .sort()
  const blocks: string[] = []
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8')
    blocks.push(...text.replace(/^Bundled license information:\s*/, '').split(/\n\n(?=\S)/))
    await rm(join(folder, file))
  }
  return [...new Set(blocks.map(block => block.trim()))]
}
