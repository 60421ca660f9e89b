import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild'
import type { Origin } from './origin.ts'

const FILE = 'sbom.json'
/** The scope of this project's own packages, which are in no registry. */
const OWN_SCOPE = '@agent-task-service'

/** Code that a package has copied from another, so that the bundler does not know it. `version` finds it in `file`. */
const VENDORED = [
  {
    of: 'unpdf',
    file: 'node_modules/unpdf/dist/pdfjs.mjs',
    version: /apiVersion:["'`]([\d.]+)["'`]/,
    name: 'pdfjs-dist',
    author: 'Mozilla Foundation',
    licence: 'Apache-2.0',
  },
  {
    of: '@langchain/core',
    file: 'node_modules/@langchain/core/dist/utils/js-sha256/hash.js',
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
  readonly purl?: string
  readonly licenses?: readonly { expression?: string; license?: { id?: string; name?: string } }[]
  readonly externalReferences?: readonly { type: string; url: string }[]
  /** Texts of the package's licence files, in base64; removed once the bill is complete. */
  readonly evidence?: {
    readonly licenses?: readonly { license: { name: string; text: { content: string } } }[]
  }
}

interface Bill {
  readonly metadata: { timestamp?: string; readonly component: Component & { version: string } }
  readonly components: readonly Component[]
  readonly dependencies: { readonly ref: string; dependsOn?: string[] }[]
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
  const bill = withoutOwn(JSON.parse(await readFile(join(folder, FILE), 'utf8')) as Bill)
  const copied = await Promise.all(VENDORED.map(one => vendoredIn(bill, one)))
  return { ...bill, components: [...bill.components, ...copied.flat()] }
}

/** What this project's packages need, the project needs. */
function withoutOwn(bill: Bill): Bill {
  const own = new Set(
    bill.components.filter(({ group }) => group === OWN_SCOPE).map(component => component['bom-ref']),
  )
  const dependenciesOf = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const resolved = (refs: readonly string[]): string[] => [
    ...new Set(refs.flatMap(ref => (own.has(ref) ? resolved(dependenciesOf.get(ref) ?? []) : [ref]))),
  ]
  return {
    ...bill,
    components: bill.components.filter(component => !own.has(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => !own.has(ref))
      .map(({ ref, dependsOn }) => (dependsOn ? { ref, dependsOn: resolved(dependsOn) } : { ref })),
  }
}

/** @throws if the file does not state the version, since a newer one may be another */
async function vendoredIn(
  { components, dependencies }: Bill,
  { of, file, version: pattern, name, author, licence }: (typeof VENDORED)[number],
): Promise<Component[]> {
  const owner = components.find(component => fullName(component) === of)
  if (!owner) return []
  const version = pattern.exec(await readFile(file, 'utf8'))?.[1]
  if (version === undefined) throw new Error(`expected the version of ${name} in ${file}, got none`)
  const ref = `${name}@${version}`
  const needs = dependencies.find(dependency => dependency.ref === owner['bom-ref'])
  if (needs) needs.dependsOn = [...(needs.dependsOn ?? []), ref]
  dependencies.push({ ref })
  return [
    {
      type: 'library',
      name,
      version,
      'bom-ref': ref,
      author,
      licenses: [{ license: { id: licence } }],
      purl: `pkg:npm/${ref}`,
    },
  ]
}

function fullName({ group, name }: Component): string {
  return group ? `${group}/${name}` : name
}

/**
 * Adds what the bundler does not know: the commit, and the Node that runs the bundle (in the image, the base's). Removes
 * the licence texts, which are in the notices.
 */
export async function completeBillOfMaterials(folder: string, { commit, time, node }: Origin): Promise<void> {
  const bill = await readBill(folder)
  const runtime = {
    type: 'platform',
    name: 'node',
    version: node,
    'bom-ref': `node@${node}`,
    licenses: [{ license: { id: 'MIT', acknowledgement: 'declared' } }],
    purl: `pkg:generic/node@${node}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
  }
  const { metadata, components, dependencies } = bill
  const root = metadata.component['bom-ref']
  dependencies.find(({ ref }) => ref === root)?.dependsOn?.push(runtime['bom-ref'])
  const properties = [{ name: 'git:commit', value: commit }]
  const whole = {
    ...bill,
    metadata: { timestamp: time, ...metadata, component: { ...metadata.component, properties } },
    components: [...components.map(({ evidence: _, ...known }) => known), runtime],
    dependencies: [...dependencies, { ref: runtime['bom-ref'] }],
  }
  await writeFile(join(folder, FILE), JSON.stringify(whole))
}
