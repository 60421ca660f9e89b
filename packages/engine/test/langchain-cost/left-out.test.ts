import { ScriptedModel } from '@agent-task-service/engine/testing'
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { Client } from 'langsmith'
import { traceable } from 'langsmith/traceable'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RunCallbacks } from '../../langchain-cost/run-callbacks.ts'
import { LEFT_OUT } from '../../langchain-cost/untraced.ts'

/** Runs a graph whose node calls a model and traces a function, for a caller with a tag. */
async function runFor(tag: string, callbacks: RunCallbacks | BaseCallbackHandler[]): Promise<void> {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('node', async (_state, config) => {
      await new ScriptedModel(['Hello']).invoke('Hi', config)
      await traceable(async () => undefined, { name: 'by itself', tags: [tag] })()
      return {}
    })
    .addEdge(START, 'node')
    .addEdge('node', END)
    .compile()
    // For tags, the stand-in of a run that nothing traces leaves.
    .withConfig({ tags: [tag] })
  await graph.invoke({ messages: [] }, { callbacks })
}

test('where LangChain traces by itself, nothing of a run that is left out is traced', async () => {
  vi.stubEnv('LANGSMITH_TRACING', 'true')
  const sent = vi.spyOn(Client.prototype, 'createRun').mockResolvedValue()
  const updated = vi.spyOn(Client.prototype, 'updateRun').mockResolvedValue()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    sent.mockRestore()
    updated.mockRestore()
  })
  await runFor('left-out', RunCallbacks.of([LEFT_OUT]))
  await awaitAllCallbacks()
  expect(sent).not.toHaveBeenCalled()
  await runFor('traced', [])
  await awaitAllCallbacks()
  const names = sent.mock.calls.map(([{ name }]) => name)
  expect(names).toEqual(expect.arrayContaining(['node', 'ScriptedModel', 'by itself']))
})
