/** What a package offers by its doors, read from its declarations. */
import { join } from 'node:path'
import ts from 'typescript'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string>>
}

export interface PackageApi {
  /** What each door exports, by the name that is imported. */
  readonly doors: Readonly<Record<string, readonly string[]>>
  /** What that mentions and no door exports. It is part of the API, though nobody can name it. */
  readonly unexported: readonly string[]
  /** What it mentions of other packages, as `name from package`. */
  readonly imported: readonly string[]
  /** The declarations of all that, without comments and private members. */
  readonly declarations: readonly string[]
}

/** Nothing but the package is read: what comes from elsewhere stays a name. */
const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noLib: true,
  types: [],
}

/** @param folder holds the package's declarations, in the places of its sources */
export function packageApi({ name, exports }: Manifest, folder: string): PackageApi {
  const files = Object.values(exports).map(source => join(folder, source.replace(/\.ts$/, '.d.ts')))
  const program = ts.createProgram(files, OPTIONS)
  const reader = new Reader(program.getTypeChecker())
  const doors = Object.keys(exports).map((door, index) => {
    const file = program.getSourceFile(files[index]!)
    if (!file) throw new Error(`expected a declaration of ${name}${door.slice(1)}, got no ${files[index]}`)
    return [`${name}${door.slice(1)}`, reader.exportsOf(file)] as const
  })
  return { doors: Object.fromEntries(doors), ...reader.mentioned() }
}

class Reader {
  readonly #checker: ts.TypeChecker
  readonly #exported = new Set<ts.Symbol>()
  /** It grows while it is gone through. */
  readonly #mentioned = new Set<ts.Symbol>()
  readonly #imported = new Set<string>()

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  exportsOf(door: ts.SourceFile): string[] {
    const module = this.#checker.getSymbolAtLocation(door)
    const exported = module ? this.#checker.getExportsOfModule(module) : []
    return exported.map(symbol => this.#export(symbol)).sort()
  }

  #export(symbol: ts.Symbol): string {
    const origin = this.#originOf(symbol)
    if (typeof origin === 'string') return origin
    this.#exported.add(origin)
    this.#mentioned.add(origin)
    return origin.name === symbol.name ? origin.name : `${origin.name} as ${symbol.name}`
  }

  mentioned(): Omit<PackageApi, 'doors'> {
    const declarations: { name: string; text: string }[] = []
    for (const symbol of this.#mentioned)
      for (const declaration of symbol.declarations ?? []) {
        this.#collect(declaration)
        declarations.push({ name: symbol.name, text: textOf(declaration) })
      }
    const unexported = [...this.#mentioned].filter(symbol => !this.#exported.has(symbol))
    const byName = Map.groupBy(declarations, ({ name }) => name)
    return {
      unexported: unexported.map(({ name }) => name).sort(),
      imported: [...this.#imported].sort(),
      declarations: [...byName.keys()].sort().flatMap(name => byName.get(name)!.map(({ text }) => text)),
    }
  }

  #collect(node: ts.Node): void {
    if (isPrivate(node)) return
    if (ts.isImportTypeNode(node)) this.#collectImportType(node)
    if (ts.isIdentifier(node)) this.#collectName(node)
    ts.forEachChild(node, child => this.#collect(child))
  }

  #collectName(node: ts.Identifier): void {
    const symbol = this.#checker.getSymbolAtLocation(node)
    const origin = symbol && this.#originOf(symbol)
    if (typeof origin === 'string') this.#imported.add(origin)
    else if (origin?.declarations?.some(isOfModule)) this.#mentioned.add(origin)
  }

  #collectImportType({ argument, qualifier }: ts.ImportTypeNode): void {
    const from =
      ts.isLiteralTypeNode(argument) && ts.isStringLiteral(argument.literal) && argument.literal.text
    if (from && qualifier && isElsewhere(from)) this.#imported.add(`${qualifier.getText()} from ${from}`)
  }

  /** What a name stands for: a symbol of the package, or `name from another package`. */
  #originOf(symbol: ts.Symbol): ts.Symbol | string {
    let origin = symbol
    while (origin.flags & ts.SymbolFlags.Alias) {
      const elsewhere = origin.declarations?.map(importFromElsewhere).find(found => found !== undefined)
      if (elsewhere !== undefined) return elsewhere
      const next = this.#checker.getImmediateAliasedSymbol(origin)
      if (!next) break
      origin = next
    }
    return origin
  }
}

const isElsewhere = (specifier: string) => !specifier.startsWith('.')

function importFromElsewhere(alias: ts.Declaration): string | undefined {
  const statement = ts.findAncestor(
    alias,
    node => ts.isImportDeclaration(node) || ts.isExportDeclaration(node),
  )
  const from = statement?.moduleSpecifier
  if (!from || !ts.isStringLiteral(from) || !isElsewhere(from.text)) return undefined
  return `${importedName(alias)} from ${from.text}`
}

function importedName(alias: ts.Declaration): string {
  if (ts.isImportSpecifier(alias) || ts.isExportSpecifier(alias))
    return alias.propertyName ? `${alias.propertyName.text} as ${alias.name.text}` : alias.name.text
  const name = ts.getNameOfDeclaration(alias)?.getText()
  return ts.isImportClause(alias) ? `default as ${name}` : `* as ${name}`
}

/** In a file's own scope: no member, parameter or type parameter. */
const isOfModule = (declaration: ts.Declaration) => ts.isSourceFile(statementOf(declaration).parent)

/** A variable's name is declared within its statement. */
const statementOf = (declaration: ts.Declaration): ts.Node =>
  ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false
  const isHash = node.name !== undefined && ts.isPrivateIdentifier(node.name)
  return isHash || (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0
}

const printer = ts.createPrinter({ removeComments: true })

function textOf(declaration: ts.Declaration): string {
  const { transformed } = ts.transform(statementOf(declaration), [withoutPlaces])
  const text = printer.printNode(ts.EmitHint.Unspecified, transformed[0]!, declaration.getSourceFile())
  return text.replace(/^(export )?(default )?(declare )?/, '')
}

/** Without private members, and without the files that types come from: where something is declared may change. */
const withoutPlaces: ts.TransformerFactory<ts.Node> = context => root => {
  const visit = (node: ts.Node): ts.Node | undefined => {
    if (isPrivate(node)) return undefined
    const inner = ts.visitEachChild(node, visit, context)
    return ts.isImportTypeNode(inner) ? byQualifier(inner) : inner
  }
  return visit(root) ?? root
}

/** `import("./file.ts").Name` as `Name`. */
function byQualifier(node: ts.ImportTypeNode): ts.TypeNode {
  const { qualifier, isTypeOf, typeArguments } = node
  if (!qualifier) return node
  return isTypeOf
    ? ts.factory.createTypeQueryNode(qualifier, typeArguments)
    : ts.factory.createTypeReferenceNode(qualifier, typeArguments)
}
