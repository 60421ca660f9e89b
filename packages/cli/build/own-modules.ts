import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { type Plugin, transform } from 'esbuild'
import { isOwn, nativePackage, resolveOwn } from '../modules/rules.ts'

/** Ends the folder of a file in the bundle that is not beside `main.js`. */
const CHUNKS = /\/chunks\/$/
/** What each module is told of its place. */
const PLACE = { url: '__ownUrl', filename: '__ownFilename', dirname: '__ownDirname' }
const NATIVE = 'native'

/** Modules of the agent are found, and find files beside them, by the rules of every command. */
export const ownModulesInBundle: Plugin = {
  name: 'own modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path: specifier, importer, kind, with: attributes }) => {
      if (importer === '') return undefined
      return told(() => {
        const path = resolveOwn(specifier, importer, kind === 'require-call' ? undefined : attributes)
        if (path !== undefined) return { path }
        const why = nativePackage(specifier, importer)
        if (why === undefined) return undefined
        // Who asks for it by `require` often does without.
        return kind === 'require-call' ? { path: why, namespace: NATIVE } : { errors: [{ text: why }] }
      })
    })
    onLoad({ filter: /./, namespace: NATIVE }, ({ path: why }) => ({
      contents: `throw new Error(${JSON.stringify(why)})`,
    }))
    onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
      if (!isOwn(path)) return undefined
      const source = readFileSync(path, 'utf8')
      return source.includes('import.meta.')
        ? { contents: await placed(source, path), loader: 'js' }
        : undefined
    })
  },
}

/** The module as if it were beside the bundle, at its path in the agent's folder. */
async function placed(source: string, path: string): Promise<string> {
  const place = relative('.', path).split('/').map(encodeURIComponent).join('/')
  const define = Object.entries(PLACE).map(([name, value]) => [`import.meta.${name}`, value])
  const { code } = await transform(source, {
    loader: path.endsWith('ts') ? 'ts' : 'js',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    define: Object.fromEntries(define),
    banner: [
      `const ${PLACE.url} = new URL(${JSON.stringify(place)}, new URL('.', import.meta.url).href.replace(${CHUNKS}, '/')).href`,
      `const ${PLACE.filename} = __fileURLToPath(${PLACE.url})`,
      `const ${PLACE.dirname} = __pathDirname(${PLACE.filename})`,
    ].join(';'),
    sourcemap: 'inline',
    sourcesContent: false,
    sourcefile: basename(path),
  })
  return code
}

function told<Result>(work: () => Result) {
  try {
    return work()
  } catch (error) {
    return { errors: [{ text: (error as Error).message }] }
  }
}
