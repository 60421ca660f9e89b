import { readConfig } from '@agent-task-service/test-support/read-config'
import { expect, test } from 'vitest'

// EVIDENCE-OF docs/configuration.md: | `REDIS_URL` |
test.for([
  ['redis://host', { host: 'host', port: 6379, db: 0 }],
  ['redis://[::1]:7000/3', { host: '::1', port: 7000, db: 3 }],
  [
    'rediss://agent:p%40ss%2Fword@host/',
    { host: 'host', port: 6379, db: 0, username: 'agent', password: 'p@ss/word', tls: {} },
  ],
] as const)('REDIS_URL %s', ([REDIS_URL, redis]) => {
  const config = readConfig({ REDIS_URL })
  expect(config.share?.settings).toMatchObject({ REDIS_URL: redis })
  expect(config.secrets).toEqual('password' in redis ? ['p%40ss%2Fword', redis.password] : [])
})
