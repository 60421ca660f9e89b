import { WordRetriever } from '@agent-task-service/starter/word-retriever'
import { Document } from '@langchain/core/documents'
import { expect, test } from 'vitest'

const documents = ['Returns within 30 days.', 'Starting a claim.', 'Return a claim, and claims.'].map(
  pageContent => new Document({ pageContent }),
)

test.each([
  ['RETURNED?', [0, 2]],
  ['claims', [2, 1]],
  ['art', []],
  ['?', []],
])('of %j it finds %j, best first', async (query, expected) => {
  const found = await new WordRetriever({ documents }).invoke(query)
  expect(found.map(document => documents.indexOf(document))).toEqual(expected)
})

test('it finds no more than k', async () => {
  expect(await new WordRetriever({ documents, k: 1 }).invoke('claims')).toEqual([documents[2]])
})
