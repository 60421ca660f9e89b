import type { Plugin } from 'vitest/config'
import { expectAssets, expectNoNative, isOwn, resolveOwn } from './rules.ts'

const LOADER = import.meta.resolve('@agent-task-service/cli/loader')

/** For `plugins` of `vitest.config.ts`: vitest loads the modules of the agent in the current folder by the rules of every command. */
export function ownModules(): Plugin {
  return {
    name: 'own modules',
    enforce: 'pre',
    // Packages are loaded by Node.
    config: () => ({ test: { execArgv: [`--import=${LOADER}`] } }),
    resolveId(specifier, importer) {
      if (importer === undefined || !isOwn(importer)) return undefined
      const path = resolveOwn(specifier, importer)
      if (path === undefined) expectNoNative(specifier, importer)
      return path
    },
    // Also of a module whose name a test has put together.
    load(path) {
      expectAssets(path)
    },
  }
}
