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
  [
    'redis+sentinel://one,two:7000,[::1]:7001/mymaster',
    {
      sentinels: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 7000 },
        { host: '::1', port: 7001 },
      ],
      name: 'mymaster',
      db: 0,
    },
  ],
  [
    'rediss+sentinel://:p%40ss%2Fword@host/mymaster/3?sentinel_username=agent&sentinel_password=a%20second',
    {
      sentinels: [{ host: 'host', port: 26_379 }],
      name: 'mymaster',
      sentinelUsername: 'agent',
      sentinelPassword: 'a second',
      db: 3,
      password: 'p@ss/word',
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
    },
  ],
  [
    'redis+cluster://:p%40ss%2Fword@one,two:7000',
    {
      cluster: [
        { host: 'one', port: 6379 },
        { host: 'two', port: 7000 },
      ],
      db: 0,
      password: 'p@ss/word',
    },
  ],
] as const)('REDIS_URL %s', ([REDIS_URL, redis]) => {
  const config = readConfig({ REDIS_URL })
  expect(config.share?.settings).toEqual(expect.objectContaining({ REDIS_URL: redis }))
  expect(config.secrets).toEqual([
    ...('password' in redis ? ['p%40ss%2Fword', redis.password] : []),
    ...('sentinelPassword' in redis ? ['a%20second', redis.sentinelPassword] : []),
  ])
})
