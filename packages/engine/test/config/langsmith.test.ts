import { problemsOf } from '@agent-task-service/test-support/read-config'
import { expect, test } from 'vitest'

test.each(['LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGCHAIN_TRACING'])(
  '%s, by which LangChain would trace unmasked, stops the start',
  name => {
    expect(problemsOf({ [name]: 'true' })).toEqual([`${name}: expected LANGSMITH_TRACING in its place`])
    expect(problemsOf({ [name]: 'false', LANGCHAIN_PROJECT: 'p' })).toEqual([])
  },
)

// EVIDENCE-OF docs/configuration.md: | `LANGSMITH_API_KEY` |
test('LangSmith without a key, unless it is your own server', () => {
  expect(problemsOf({ LANGSMITH_TRACING: 'true' })).toEqual([
    'LANGSMITH_API_KEY: expected a value, since LANGSMITH_TRACING is true; got nothing',
  ])
  expect(problemsOf({ LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: 'http://localhost:1984' })).toEqual([])
})
