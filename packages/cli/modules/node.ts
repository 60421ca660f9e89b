/** For `node --import`: Node loads the modules of the agent in the current folder by the rules of every command. */
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expectNoNative, isOwn, resolveOwn } from './rules.ts'

/** Modules of packages that the agent's own have led to: the tools around the agent may load what they like. */
const reached = new Set<string>()
/** Of vitest, which names packages that a module imports by their files. */
const TOOL = /\/node_modules\/vite(?:st)?\//

const pathOf = (url: string) => (url.startsWith('file:') ? fileURLToPath(url) : undefined)

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '', conditions, importAttributes } = context
    const importer = pathOf(parentURL)
    const isLed = reached.has(parentURL) || (TOOL.test(parentURL) && /^(?:file:|\/)/.test(specifier))
    if (importer === undefined || !(isOwn(importer) || isLed)) return next(specifier, context)
    const isRequired = conditions.includes('require')
    const path = resolveOwn(specifier, importer, isRequired ? undefined : importAttributes)
    // `require` takes a path, `import` on some systems only a URL.
    if (path !== undefined) return next(isRequired ? path : pathToFileURL(path).href, context)
    expectNoNative(specifier, importer)
    const found = next(specifier, context)
    if (!TOOL.test(found.url)) reached.add(found.url)
    return found
  },
})
