import type { Plugin } from 'vitest/config'
import { expectAssets, isOwn, nativePackage, refusal, resolveOwn } from './rules.ts'

/** For `plugins` of `vitest.config.ts`: vitest loads the modules of the agent in the current folder by the rules of every command. */
export function ownModules(): Plugin {
  return {
    name: 'own modules',
    enforce: 'pre',
    resolveId(specifier, importer) {
      if (importer === undefined || !isOwn(importer)) return undefined
      const path = resolveOwn(specifier, importer)
      const why = path === undefined ? nativePackage(specifier, importer) : undefined
      if (why !== undefined) throw refusal(importer, why)
      return path
    },
    transform(code, id) {
      expectAssets(code, id)
    },
  }
}
