import type { Edit } from './edit.ts'

type Changes = NonNullable<Edit['changes']>

/** The node in `graph/nodes/<name>.ts`; `made` is `<its function>` or `<its function>(parts)`. */
const added = (name: string, made: string) => [
  `import { ${made.replace('(parts)', '')} } from './nodes/${name}.ts'`,
  ["    .addNode('plan'", `    .addNode('${name}', ${made})\n    .addNode('plan'`] as const,
]

/** Changes that put a node between START and plan, as docs/guides/graph.md shows for its first node. */
export function beforePlan(name: string, made: string): Changes {
  const edges = `    .addEdge(START, '${name}')\n    .addEdge('${name}', 'plan')`
  return { 'graph/graph.ts': [...added(name, made), ["    .addEdge(START, 'plan')", edges]] }
}

/** Changes that put a node between respond and END. */
export function afterRespond(name: string, made: string): Changes {
  const edges = `    .addEdge('respond', '${name}')\n    .addEdge('${name}', END)`
  return { 'graph/graph.ts': [...added(name, made), ["    .addEdge('respond', END)", edges]] }
}
