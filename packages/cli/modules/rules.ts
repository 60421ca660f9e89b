/**
 * What an agent's modules may import, and read beside themselves: the same in every command. Node's loader, vitest's and the bundler
 * ask here; LangGraph Studio has Node's.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire, findPackageJSON, type ImportAttributes, isBuiltin } from 'node:module'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { StartError } from '@agent-task-service/rehearsal/command-line'
import type { CompilerOptions } from 'typescript'

/** The folder of the agent. */
const ROOT = process.cwd()
/** Lists what the image takes: a line for each name. */
const ALLOW_LIST = '.dockerignore'
/** This project's own, in a clone of it. */
const PACKAGES = 'packages'
const CODE = /\.[cm]?[jt]sx?$/

/** The names in the root that the image takes, never one that begins with a dot: what ships, and is watched. */
export function shipped(): readonly string[] {
  if (!existsSync(ALLOW_LIST)) return ['graph', PACKAGES, 'src', 'tools']
  const lines = readFileSync(ALLOW_LIST, 'utf8').split('\n')
  return lines.flatMap(line => /^!\/?(\w[\w.-]*)\/?\s*$/.exec(line)?.[1] ?? [])
}

const namesOf = (path: string) => relative(ROOT, path).split(sep)
/** As this process found them. */
let names: readonly string[] | undefined

function isShipped(path: string): boolean {
  names ??= shipped()
  return names.includes(namesOf(path)[0]!)
}

/** Whether a module is the agent's own: in its folder, and no package. */
export function isOwn(path: string): boolean {
  const names = namesOf(path)
  return !['..', PACKAGES].includes(names[0]!) && !names.includes('node_modules')
}

/** Whether the bundle has a file beside its code, at the same path as in the agent's folder. */
export function isAsset(path: string): boolean {
  const names = namesOf(path)
  return (
    names.length > 1 &&
    isShipped(path) &&
    isOwn(path) &&
    !names.some(name => /^\./.test(name)) &&
    !CODE.test(path)
  )
}

/**
 * The file that a module of the agent imports, with `.js` for a `.ts` file and `paths` of `tsconfig.json` as TypeScript reads them.
 *
 * @param attributes what stands after `with`; `undefined` if that is not known
 * @returns `undefined` for what the loader finds by itself, or does not
 * @throws {StartError} in one line for what not every command could load
 */
export function resolveOwn(
  specifier: string,
  importer: string,
  attributes?: ImportAttributes,
): string | undefined {
  if (!isOwn(importer)) return undefined
  const path = /^\.\.?\//.test(specifier) ? beside(specifier, importer) : fromAlias(specifier, importer)
  if (path !== undefined && isShipped(importer) && !isShipped(path))
    throw refusal(
      importer,
      `${specifier} is nothing that the image takes: move it to a folder that ${ALLOW_LIST} lists, or list its own, as in "!${namesOf(path)[0]}"`,
    )
  if (path?.endsWith('.json') && attributes && attributes.type !== 'json')
    throw refusal(importer, `${specifier} is JSON: write with { type: 'json' } after it`)
  if (path !== undefined) expectAssets(path)
  return path
}

function beside(specifier: string, importer: string): string | undefined {
  const path = resolve(dirname(importer), specifier)
  const typed = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  const found = [path, typed].find(isFile)
  if (found !== undefined) return found
  const meant = ['.ts', '/index.ts'].find(end => isFile(path + end))
  if (meant !== undefined)
    throw refusal(importer, `expected the name of a file, got ${specifier}: write ${specifier}${meant}`)
  return undefined
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

function fromAlias(specifier: string, importer: string): string | undefined {
  const { ts, options } = aliases()
  const { resolvedModule } =
    ts?.resolveModuleName(specifier, importer, options, ts.sys, undefined, undefined, ts.ModuleKind.ESNext) ??
    {}
  const path = resolvedModule?.resolvedFileName
  return path !== undefined && isOwn(path) ? path : undefined
}

type TypeScript = typeof import('typescript')

let read: { readonly ts?: TypeScript; readonly options: CompilerOptions } | undefined

/** TypeScript and its options where there are `paths`; loading it takes a while. */
function aliases() {
  read ??= readAliases()
  return read
}

function readAliases(): NonNullable<typeof read> {
  const file = join(ROOT, 'tsconfig.json')
  if (!existsSync(file) || !/"(paths|extends)"/.test(readFileSync(file, 'utf8'))) return { options: {} }
  const ts = createRequire(import.meta.url)('typescript') as TypeScript
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(file, ts.sys.readFile).config,
    ts.sys,
    ROOT,
  )
  return options.paths ? { ts, options } : { options }
}

/** Not in a comment. */
const READ = /(?<!(?:\*|\/\/).*)new URL\(\s*(['"`])(\.[^'"`$]*)\1,\s*import\.meta\.url\b/g
const checked = new Set<string>()

/**
 * What a module reads by `new URL('./file', import.meta.url)` is a file that the bundle has, or a folder.
 *
 * @throws {StartError} in one line
 */
export function expectAssets(module: string): void {
  if (checked.has(module) || !isOwn(module) || !isShipped(module) || !CODE.test(module)) return
  for (const [, , name = ''] of readFileSync(module, 'utf8').matchAll(READ)) {
    const path = fileURLToPath(new URL(name, pathToFileURL(module)))
    if (!(isFile(path) ? isAsset(path) : existsSync(path)))
      throw refusal(
        module,
        `${name} is no file that the bundle has: expected one that is there and no code, in a folder that ${ALLOW_LIST} lists, without a leading dot`,
      )
  }
  checked.add(module)
}

const PACKAGE = /^(?:@[\w.-]+\/)?\w[\w.-]*(?:\/|$)/
const natives = new Map<string, boolean>()

/** @throws {StartError} in one line for a package that is not loaded */
export function expectNoNative(specifier: string, importer: string): void {
  const why = nativePackage(specifier, importer)
  if (why !== undefined) throw refusal(importer, why)
}

/** Why a package is not loaded, in one line; `undefined` if it is. */
export function nativePackage(specifier: string, importer: string): string | undefined {
  if (!PACKAGE.test(specifier) || isBuiltin(specifier)) return undefined
  const manifest = manifestOf(specifier, importer)
  if (manifest === undefined) return undefined
  const isNative = natives.get(manifest) ?? hasNativeParts(manifest)
  natives.set(manifest, isNative)
  if (!isNative) return undefined
  return `${specifier} has parts that are no JavaScript, which no command loads, since the image may not: use a package without (for SQLite node:sqlite), or a service or MCP server of its own`
}

/** The package.json of the package that a module imports; `undefined` if there is none. */
export function manifestOf(specifier: string, importer: string): string | undefined {
  try {
    return findPackageJSON(specifier, pathToFileURL(importer))
  } catch {
    return undefined
  }
}

function hasNativeParts(manifest: string): boolean {
  const fields = JSON.parse(readFileSync(manifest, 'utf8'))
  return (
    ['binary', 'gypfile', 'napi'].some(field => field in fields) ||
    existsSync(join(dirname(manifest), 'binding.gyp'))
  )
}

/** One line about a module; the stack of a loader would say no more. */
function refusal(importer: string, why: string): StartError {
  const error = new StartError(`${relative(ROOT, importer)}: ${why}`)
  error.stack = `${error.name}: ${error.message}`
  return error
}
