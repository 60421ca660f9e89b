/**
 * Writes packages/starter/web-search/cmaps.json from a folder `cmaps` of pdfjs-dist, of which nothing else is needed:
 *
 *     cd "$(mktemp -d)" && npm pack pdfjs-dist@6.1.200 && tar xzf *.tgz && cd - && node scripts/pdf-cmaps.ts "$OLDPWD/package/cmaps"
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

/** Those that a PDF may name (ISO 32000-2, table 116), and those that lead from their characters to Unicode. */
const NAMES =
  'GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K UniGB-UCS2 UniGB-UTF16 B5pc HKscs-B5 ETen-B5 ETenms-B5 CNS-EUC UniCNS-UCS2 UniCNS-UTF16 83pv-RKSJ 90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ EUC Ext-RKSJ UniJIS-UCS2 UniJIS-UCS2-HW UniJIS-UTF16 KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC UniKS-UCS2 UniKS-UTF16'
    .split(' ')
    .flatMap(name => [`${name}-H`, `${name}-V`])
    .concat('H', 'V')
    .concat('GB1 CNS1 Japan1 Korea1'.split(' ').map(name => `Adobe-${name}-UCS2`))

const [, , folder = '.'] = process.argv
const pathOf = (name: string) => join(folder, `${name}.bcmap`)
// Not all are there in both directions.
const maps = NAMES.filter(name => existsSync(pathOf(name))).map(name => ({
  name,
  data: readFileSync(pathOf(name)),
}))
const lengths = Object.fromEntries(maps.map(({ name, data }) => [name, data.length]))
const brotli = brotliCompressSync(Buffer.concat(maps.map(({ data }) => data))).toString('base64')
const file = join(import.meta.dirname, '../packages/starter/web-search/cmaps.json')
writeFileSync(file, `${JSON.stringify({ lengths, brotli })}\n`)
