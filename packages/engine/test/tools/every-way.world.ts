import { test } from 'vitest'
import { expectRule, rules, ways } from './every-way.ts'

const cases = Object.keys(ways).flatMap(way =>
  Object.keys(rules).flatMap(rule => [true, false].map(isRegistered => [way, rule, isRegistered] as const)),
)

// EVIDENCE-OF docs/reference/tool-rules.md: These rules apply whoever calls the tool: the tool-call node, LangGraph's
//   `ToolNode`, a prebuilt agent, or your own node.
// EVIDENCE-OF docs/reference/tool-rules.md: A call of a tool that is not enabled for the run is refused, and the model reads
//   so
test.each(cases)('%s × %s, in the registry: %s', expectRule)
