import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild'
import type { Origin } from './origin.ts'

const FILE = 'sbom.json'

/** A package whose code is in the bundle: the parts of a CycloneDX component that are read here. */
export interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly author?: string
  readonly 'bom-ref': string
  readonly licenses?: readonly { expression?: string; license?: { id?: string; name?: string } }[]
  readonly externalReferences?: readonly { type: string; url: string }[]
  /** Texts of the package's licence files, in base64; removed once the bill is complete. */
  evidence?: { readonly licenses?: readonly { license: { name: string; text: { content: string } } }[] }
}

interface Bill {
  readonly metadata: { timestamp?: string; readonly component: Component & { version: string } }
  readonly components: readonly Component[]
  readonly dependencies: { readonly ref: string; readonly dependsOn?: string[] }[]
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

export async function readBill(folder: string): Promise<Bill> {
  return JSON.parse(await readFile(join(folder, FILE), 'utf8')) as Bill
}

/**
 * Adds what the bundler does not know: the commit, and the Node that runs the bundle (in the image, the base's). Removes
 * the licence texts, which are in the notices.
 */
export async function completeBillOfMaterials(folder: string, { commit, time, node }: Origin): Promise<void> {
  const bill = await readBill(folder)
  for (const component of bill.components) delete component.evidence
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
    components: [...components, runtime],
    dependencies: [...dependencies, { ref: runtime['bom-ref'] }],
  }
  await writeFile(join(folder, FILE), JSON.stringify(whole))
}
