import { readFile, writeFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild'
import type { Origin } from './origin.ts'

const FILE = 'sbom.json'
/** The scope of this project's own packages, which are in no registry. */
const OWN_SCOPE = '@agent-task-service'

/** Code that a package has copied from another, so that the bundler does not know it. `version` finds it in `file`. */
const VENDORED = [
  {
    of: 'unpdf',
    file: 'dist/pdfjs.mjs',
    version: /apiVersion:["'`]([\d.]+)["'`]/,
    name: 'pdfjs-dist',
    author: 'Mozilla Foundation',
    licence: 'Apache-2.0',
  },
  {
    of: '@langchain/core',
    file: 'dist/utils/js-sha256/hash.js',
    version: /@version ([\d.]+)/,
    name: 'js-sha256',
    author: 'Chen, Yi-Cyuan',
    licence: 'MIT',
  },
]

/** A package whose code is in the bundle: the parts of a CycloneDX component that are read here. */
export interface Component {
  readonly type: string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly author?: string
  readonly 'bom-ref': string
  readonly licenses?: readonly { expression?: string; license?: { id?: string; name?: string } }[]
  readonly externalReferences?: readonly { type: string; url: string }[]
  /** Texts of the package's licence files, in base64; left out of the bill that ships, since the notices have them. */
  readonly evidence?: {
    readonly licenses?: readonly { license: { name: string; text: { content: string } } }[]
  }
}

interface Bill {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** Writes a CycloneDX bill of materials of the bundled packages, with their licence texts. */
export const billOfMaterials = cyclonedxEsbuildPlugin({
  outputFile: FILE,
  gatherLicenseTexts: true,
  outputReproducible: true,
  // A test validates it; that takes longer than bundling.
  validate: false,
  logLevel: 'silent',
})

/** The bill that the bundler wrote, without this project's packages, with the code that others have copied. */
export async function readBill(folder: string): Promise<Bill> {
  let bill = withoutOwn(JSON.parse(await readFile(join(folder, FILE), 'utf8')))
  for (const copied of VENDORED) {
    const owner = bill.components.find(component => fullName(component) === copied.of)
    if (owner) bill = withPart(bill, owner, await vendored(copied))
  }
  return bill
}

/** What this project's packages need, the project needs. */
function withoutOwn(bill: Bill): Bill {
  const own = new Set(
    bill.components.filter(({ group }) => group === OWN_SCOPE).map(component => component['bom-ref']),
  )
  const dependenciesOf = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const resolved = (refs: readonly string[]): string[] => [
    ...new Set(refs.flatMap(ref => (own.has(ref) ? resolved(dependenciesOf.get(ref) ?? []) : [ref]))),
  ]
  return {
    ...bill,
    components: bill.components.filter(component => !own.has(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => !own.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: resolved(dependsOn) })),
  }
}

/** @throws if the file does not state the version, since a newer one may be another */
async function vendored({ of, file, version: pattern, name, author, licence }: (typeof VENDORED)[number]) {
  const folder = dirname(findPackageJSON(of, pathToFileURL(resolve('package.json')))!)
  const version = pattern.exec(await readFile(join(folder, file), 'utf8'))?.[1]
  if (version === undefined) throw new Error(`expected the version of ${name} in ${file} of ${of}, got none`)
  const ref = `${name}@${version}`
  const licenses = [{ license: { id: licence } }]
  return { type: 'library', name, version, 'bom-ref': ref, author, licenses, purl: `pkg:npm/${ref}` }
}

/** The bill with one component more, which `owner` needs. */
function withPart({ components, dependencies, ...bill }: Bill, owner: Component, part: Component): Bill {
  const ref = part['bom-ref']
  const needed = dependencies.map(({ ref: by, dependsOn }) => ({
    ref: by,
    dependsOn: by === owner['bom-ref'] ? [...dependsOn, ref] : dependsOn,
  }))
  return { ...bill, components: [...components, part], dependencies: [...needed, { ref, dependsOn: [] }] }
}

export function fullName({ group, name }: Component): string {
  return group ? `${group}/${name}` : name
}

/**
 * Adds what the bundler does not know: the commit, and the Node that runs the bundle (in the image, the base's). Removes
 * the licence texts, which are in the notices.
 */
export async function completeBillOfMaterials(folder: string, { commit, time, node }: Origin): Promise<void> {
  const runtime = {
    type: 'platform',
    name: 'node',
    version: node,
    'bom-ref': `node@${node}`,
    licenses: [{ license: { id: 'MIT', acknowledgement: 'declared' } }],
    purl: `pkg:generic/node@${node}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
  }
  const bundled = await readBill(folder)
  const { metadata, components, ...rest } = withPart(bundled, bundled.metadata.component, runtime)
  const component = { ...metadata.component, properties: [{ name: 'git:commit', value: commit }] }
  const whole = {
    ...rest,
    metadata: { timestamp: time, ...metadata, component },
    components: components.map(({ evidence: _, ...known }) => known),
  }
  await writeFile(join(folder, FILE), JSON.stringify(whole))
}
