import { ScriptedModel } from '@agent-task-service/engine/testing'
import type { RunnableConfig } from '@langchain/core/runnables'
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { type Client, RunTree } from 'langsmith'
import { getCurrentRunTree, traceable, withRunTree } from 'langsmith/traceable'
import { expect, test } from 'vitest'
import { RunCallbacks } from '../../langchain-cost/run-callbacks.ts'
import { LEFT_OUT } from '../../langchain-cost/untraced.ts'

type Node = (state: object, config: RunnableConfig) => Promise<unknown>

/** What holds with LangChain's own manager must hold with ours. */
const MANAGERS = {
  "LangChain's": () => [],
  ours: () => RunCallbacks.of([]),
  'ours, left out': () => RunCallbacks.of([LEFT_OUT]),
}
const each = test.for(Object.keys(MANAGERS) as (keyof typeof MANAGERS)[])

async function runNode(
  manager: keyof typeof MANAGERS,
  node: Node,
  config: RunnableConfig = {},
): Promise<void> {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('node', async (state, nodeConfig) => {
      await node(state, nodeConfig)
      return {}
    })
    .addEdge(START, 'node')
    .addEdge('node', END)
    .compile()
    .withConfig(config)
  await graph.invoke({ messages: [] }, { callbacks: MANAGERS[manager]() })
}

/** A client that only notes the names of the runs it should send. */
function noting() {
  const names: string[] = []
  const createRun = async ({ name }: { name: string }) => void names.push(name)
  return { names, client: { createRun, updateRun: async () => undefined } as unknown as Client }
}

const ask = async (config?: RunnableConfig) => await new ScriptedModel(['Hello']).invoke('Hi', config)

each('code of a run that is not traced finds a run tree that is disabled: %s', async manager => {
  const { names, client } = noting()
  const given: unknown[] = []
  const note = async (...args: unknown[]) => void given.push(...args)
  const node: Node = async (_, config) => {
    const tree = getCurrentRunTree()
    expect(tree).toBeInstanceOf(RunTree)
    expect(tree.tracingEnabled).toBeFalsy()
    expect(tree.child_runs).toEqual([])
    tree.createChild({ name: 'child' })
    await traceable(note, { client })('alone')
    await traceable(note, { client })(config, 'with a config')
  }
  await runNode(manager, node)
  await runNode(manager, node)
  // Only of a traced run, it takes a config away.
  const each = ['alone', expect.objectContaining({ configurable: expect.anything() }), 'with a config']
  expect(given).toEqual([...each, ...each])
  expect(names).toEqual([])
})

each('what a node traces by itself is traced, down to the calls of models: %s', async manager => {
  const { names, client } = noting()
  const own = new RunTree({ name: 'by itself', tracingEnabled: true, client })
  await runNode(manager, async (_, config) => void (await withRunTree(own, () => ask(config))))
  expect(names).toContain('ScriptedModel')
})

each('a tracer among the callbacks of the graph traces all of it: %s', async manager => {
  const { names, client } = noting()
  const tracer = new LangChainTracer({ client })
  await runNode(manager, async (_, config) => void (await ask(config)), { callbacks: [tracer] })
  expect(names).toEqual(expect.arrayContaining(['LangGraph', 'node', 'ScriptedModel']))
})
