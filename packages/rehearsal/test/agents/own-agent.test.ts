import { plantSecrets } from '@agent-task-service/rehearsal/agents'
import { expect, test } from 'vitest'

test("passes on the user's settings: the provider and its key, but not the platform's own", () => {
  const OPENAI_API_KEY = 'the-real-key-of-the-user'
  const env = { OPENAI_API_KEY, STAGING_TOKEN: 'x', AGENT_TOKENS: 'of-the-user', HOME: '/root' }
  const { variables, secrets } = plantSecrets(env)
  const fake = expect.stringMatching(/^sk-/)
  const passed = { OPENAI_API_KEY, MODEL_PROVIDER: 'openai', HOME: '/root', TAVILY_API_KEY: fake }
  expect(variables).toMatchObject(passed)
  expect(variables.AGENT_TOKENS).not.toBe('of-the-user')
  expect(variables).not.toHaveProperty('STAGING_TOKEN')
  expect(secrets.get('OPENAI_API_KEY')).toBe(OPENAI_API_KEY)
  const offline = plantSecrets({ MODEL_PROVIDER: 'offline' }).variables
  expect([offline.MODEL_PROVIDER, offline.OPENAI_API_KEY]).toEqual(['offline', expect.stringMatching(/^sk-/)])
  const { MODEL_PROVIDER, OPENAI_API_KEY: planted } = plantSecrets({ MODEL: 'gpt-4o' }).variables
  expect([MODEL_PROVIDER, planted], 'a model without a key').toEqual(['openai', undefined])
  const filed = plantSecrets({ OPENAI_API_KEY_FILE: '/run/key', AGENT_TOKENS_FILE: '/run/tokens' }).variables
  expect(filed).toMatchObject({
    MODEL_PROVIDER: 'openai',
    OPENAI_API_KEY_FILE: '/run/key',
    AGENT_TOKENS_FILE: '',
  })
  expect(filed).not.toHaveProperty('OPENAI_API_KEY')
  expect(plantSecrets({}).variables).not.toEqual(plantSecrets({}).variables)
})
