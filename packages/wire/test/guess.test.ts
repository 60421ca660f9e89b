import {
  createMask,
  guessSecrets,
  isSecretMember,
  isShortSecret,
  partsOfSecret,
} from '@agent-task-service/wire/masking'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ordinaryEnvironments } from './ordinary-environments.ts'

/** Answers as models give them, about what environments are full of. */
const ANSWERS = [
  'Set POSTGRES_PASSWORD with docker run -e POSTGRES_PASSWORD=<your password> postgres:17 and connect to localhost:5432.',
  'A key is a secret; a token is issued by a server; credentials are a user name and a password.',
  'Node v24.21.0 and npm 11.4.2 are in /usr/local/bin. Ubuntu 24.04.1 LTS, kernel 6.8.0-45-generic.',
  '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----',
  'The orders are in eu-central-1; partition them by customer_region, then by created_at. ************',
  'Postgres listens at postgres://localhost:5432, RabbitMQ lets in guest as guest, the administrator as admin.',
  '15% of 240 = 36. 1776-07-04 is a Thursday. 4 July 2027, 10:00:00Z. Call 030 1234567890.',
]

// EVIDENCE-OF docs/configuration.md: by name: the value of an undeclared variable, if a part of its name between underscores
//   ends with `TOKEN`, `SECRET`, `PASSWORD`, `PASSWD`, `PASSPHRASE`, `CREDENTIAL` or `APIKEY`, or is `KEY`, `PASS` or `PWD`, in
//   the singular or plural, and none of `URL`, `ID`, `HOST`, `PORT`, `NAME`, `FILE`, `PATH`, `TYPE` follows.
test.each(ordinaryEnvironments())('no ordinary answer changes: $name', ({ part: { ordinary, secret } }) => {
  const guesses = guessSecrets({ ...ordinary, ...secret }, [])
  const mask = createMask(guesses.flatMap(({ secrets }) => secrets))
  for (const answer of ANSWERS) expect(mask(answer)).toBe(answer)
  for (const [name, value] of Object.entries(ordinary)) {
    expect(isShortSecret(name, value), name).toBe(false)
    const answer = `${name} is ${value}, as expected.`
    expect(mask(answer)).toBe(answer)
  }
  expect(guesses.map(({ name }) => name).sort()).toEqual(Object.keys(secret).sort())
  for (const value of Object.values(secret)) expect(mask(`It is ${value}.`)).toBe('It is [redacted].')
})

test('there are 300 ordinary environments, no two alike', () => {
  const environments = ordinaryEnvironments().map(({ part }) => JSON.stringify(part))
  expect(new Set(environments).size).toBe(300)
})

const VALUE = 'c7d1-4e0b-a2f9'

// EVIDENCE-OF docs/configuration.md: by name: the value of an undeclared variable, if a part of its name between underscores
//   ends with `TOKEN`, `SECRET`, `PASSWORD`, `PASSWD`, `PASSPHRASE`, `CREDENTIAL` or `APIKEY`, or is `KEY`, `PASS` or `PWD`, in
//   the singular or plural, and none of `URL`, `ID`, `HOST`, `PORT`, `NAME`, `FILE`, `PATH`, `TYPE` follows.
test.each([
  ...[
    'CRM_KEY',
    'crm_key',
    'KEY',
    'CRM_TOKEN',
    'SECRET_OF_CRM',
    'PASSWORD_HASH',
    'TOKEN_2',
    'CRM_CREDENTIALS',
  ],
  ...['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'CRM_KEY_BASE64', 'TOKEN_URL_SECRET', 'crmKey'],
  ...[
    'CRM_KEYS',
    'APIKEY',
    'PGPASSWORD',
    'MYSQL_PWD',
    'DB_PASS',
    'SMTP_PASSWD',
    'KEY_PASSPHRASE',
    'accessToken',
  ],
])('a name that tells of a secret: %s', name => {
  expect(guessSecrets({ [name]: VALUE }, [])).toEqual([{ name, secrets: expect.arrayContaining([VALUE]) }])
  expect(guessSecrets({ [name]: VALUE }, [name])).toEqual([])
})

// EVIDENCE-OF docs/configuration.md: by name: the value of an undeclared variable, if a part of its name between underscores
//   ends with `TOKEN`, `SECRET`, `PASSWORD`, `PASSWD`, `PASSPHRASE`, `CREDENTIAL` or `APIKEY`, or is `KEY`, `PASS` or `PWD`, in
//   the singular or plural, and none of `URL`, `ID`, `HOST`, `PORT`, `NAME`, `FILE`, `PATH`, `TYPE` follows.
test.each([
  ...[
    'MONKEY',
    'KEYBOARD',
    'PWD',
    'COMPASS',
    'TOKENIZER',
    'CRM',
    'SSH_AUTH_SOCK',
    'PUBLIC_KEY_URL',
    'AWS_ACCESS_KEY_ID',
  ],
  ...[
    'KEY_HOST',
    'TOKEN_PORT',
    'SECRET_NAME',
    'PASSWORD_FILE',
    'SSH_KEY_PATH',
    'SSH_KEY_TYPE',
    'TOKEN_SERVICE_PORT_80_TCP',
    '',
  ],
])('a name that does not: %s', name => {
  expect(guessSecrets({ [name]: VALUE }, [])).toEqual([])
})

// EVIDENCE-OF docs/configuration.md: in a URL: the password, in the value of any variable, as in
//   `DATABASE_URL=postgres://app:hunter22@db/crm` or `…?password=hunter22`, and members with such names of a query or a
//   connection string, as in `AccountName=crm;AccountKey=…`.
test.each([
  'DefaultEndpointsProtocol=https;AccountName=crm;AccountKey=c7d1-4e0b-a2f9;EndpointSuffix=core.example',
  'Server=db,1433;Database=crm;User Id=app;Pwd=c7d1-4e0b-a2f9',
  'https://crm.example/feed?page=2&api_key=c7d1-4e0b-a2f9',
])('a member whose name tells of a secret: %s', value => {
  expect(guessSecrets({ CRM: value }, [])).toEqual([{ name: 'CRM', secrets: ['c7d1-4e0b-a2f9'] }])
})

// EVIDENCE-OF docs/configuration.md: by name: the value of an undeclared variable, if a part of its name between underscores
//   ends with `TOKEN`, `SECRET`, `PASSWORD`, `PASSWD`, `PASSPHRASE`, `CREDENTIAL` or `APIKEY`, or is `KEY`, `PASS` or `PWD`, in
//   the singular or plural, and none of `URL`, `ID`, `HOST`, `PORT`, `NAME`, `FILE`, `PATH`, `TYPE` follows.
test.each([
  ...[
    'letmein-4711',
    'hunter2-hunter2',
    'correct-horse-battery-staple',
    '550e8400-e29b-41d4-a716-446655440000',
  ],
  ...['$2b$12$EixZaYVK1fsbw1ZfbX3OXe', 'p"a\\ss-wörd/+?123', 'base64:Zm9vYmFyYmF6', 'admin:S3cretPassw0rd'],
  ...[
    'eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM',
    '1000.8cb99d0e1f2a.9be93c',
    'MTk4NjIyNDgzNDcxOTI1MjQ4',
    '/wJalrXUtnFEMI/K7MDENG+',
  ],
  ...['"c7d1"-4e0b-a2f9', 'c7d1-"4e0b-a2f9"', 'c7d1-4e0b-a2f9\\n77e1-9b3c-d5a4'],
  ...['a1b2c3d4e5f6', 'Winterreise2024!', '$ecretPassw0rd', 'SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf'],
  // With an ordinary value in it
  ...['c7d1-----A-----', '-----A-----c7d1', 'hunter2-v24.21', 'pa$$-w0rd.env', 'crm.json:c7d1e0b'],
  ...['p4$$-org.Json', 'org.Json-c7d1e', 'c7D1$crm.example', 'crm.example$c7D1', 'c7D1$redis:6379'],
  ...['redis:63790$c7D1', 'c7D1$http://x', 'arn:aws c7D1-4e0b', 'c7D1-$CRM_KEY', '$CRM_KEY-c7d1'],
])('a value that may be a secret: %s', value => {
  expect(guessSecrets({ CRM_KEY: value }, [])).toEqual([{ name: 'CRM_KEY', secrets: [value] }])
})

// EVIDENCE-OF docs/configuration.md: The value has 12 characters or more and does not occur in ordinary text: it is no number,
//   date, version, path, file, host or address, and not one to three words.
test.each([
  ...[
    'a1b2c3d4e5f',
    '123456789012',
    '-3.14159265358979',
    '2027-03-01T10:00:00Z',
    '1.30.2-gke.1023000',
    'v24.21.0-alpine3.20',
  ],
  ...[
    'administrator',
    'Administrators',
    'AUTHORIZATION',
    'customer_region_code',
    'ManagedIdentityCredential',
    'yes no maybe',
  ],
  ...[
    '/run/secrets/crm',
    '~/.ssh/id_ed25519',
    './certs/server.key',
    'C:\\keys\\crm.pfx',
    'keys/2027/crm-01.pem',
    '/dev/disk/by-id',
  ],
  ...[
    'crm.corp.example',
    'crm-01.example.com:8443',
    'redis-master:6379',
    '10.96.131.207',
    '2001:db8::8a2e:370:7334',
    'crm@example.org',
  ],
  ...[
    'https://crm.example/v1',
    's3://crm-keys/v1',
    'vault://secret/crm',
    'arn:aws:kms:eu-west-1:111122223333:key/x1',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an env file's, not JavaScript's
    '${CRM_KEY_OF_PROD}',
    '$CRM_API_KEY',
    '{{ crm_key }}',
    '<your api key>',
  ],
  ...['../certs/key-01', '/certificates', 'config/crm_01.yml', 'org.crm2.JsonConverter', 'redis2-main:6379'],
  ...['crm.example/v1/orders', '-----BEGIN KEY 2-----'],
  ...['************', '------------', '', ' \n', undefined],
])('an ordinary value: %s', value => {
  expect(guessSecrets({ CRM_KEY: value }, [])).toEqual([])
})

test.each([
  ...[`"${VALUE}"`, `'${VALUE}'`, `${VALUE}\n`, `\t"${VALUE}"\r\n`],
  ...[
    JSON.stringify({ type: 'account', client_secret: VALUE }),
    JSON.stringify([{ nested: { privateKey: VALUE } }]),
    JSON.stringify({ token: 60, client_secret: VALUE }),
  ],
  ...[`the one of CRM:\n${VALUE}`, `the one of CRM:\r\n${VALUE}`],
])('the secret within a value: %j', value => {
  const [guess] = guessSecrets({ CRM_CREDENTIALS: value }, [])
  expect(guess!.secrets).toContain(VALUE)
})

const LINES = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7', 'VJTUt9Us8cKjMzEfYyjiWA4R4']
const PEM = ['-----BEGIN PRIVATE KEY-----', ...LINES, '-----END PRIVATE KEY-----'].join('\n')

test.each([
  ['as it is', PEM],
  ['in one line', PEM.replaceAll('\n', '\\n')],
  ['in JSON', JSON.stringify({ private_key_id: 'x', private_key: PEM })],
  ['in base64', Buffer.from(PEM).toString('base64')],
])('each line of a key: %s', (_form, value) => {
  const guesses = guessSecrets({ SIGNING_KEY_BASE64: value }, [])
  const mask = createMask(guesses.flatMap(({ secrets }) => secrets))
  expect(mask(LINES.join('\r\n'))).toBe('[redacted]\r\n[redacted]')
  expect(mask('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----')
})

test('what is secret by itself in the text of a secret', () => {
  expect(partsOfSecret(PEM)).toEqual(LINES)
  expect(new Set(partsOfSecret(JSON.stringify({ id: 'x', client_secret: VALUE })))).toEqual(new Set([VALUE]))
  for (const text of [VALUE, '{}']) expect(partsOfSecret(text)).toEqual([])
})

// EVIDENCE-OF docs/configuration.md: in a URL: the password, in the value of any variable, as in
//   `DATABASE_URL=postgres://app:hunter22@db/crm` or `…?password=hunter22`, and members with such names of a query or a
//   connection string, as in `AccountName=crm;AccountKey=…`.
test.each([
  ['postgres://app:hunter22@db/crm', ['hunter22']],
  ['postgres://app:p%40ss-word@db:5432/crm?sslmode=require', ['p%40ss-word', 'p@ss-word']],
  ['postgres://app:p@ss:w0rd@db/crm', ['p@ss:w0rd']],
  ['redis://:100%sure@cache', ['100%sure']],
  ['mongodb://a:one-secret-1@h1,h2/db;mongodb://b:two-secret-2@h3/db', ['one-secret-1', 'two-secret-2']],
  ['{"url":"amqps://app:hunter22@mq.example"}', ['hunter22']],
  ['postgres://app:thoroughlysecret@db/crm', ['thoroughlysecret']],
  ['postgres://app:correcthorse@db/crm', ['correcthorse']],
  ['jdbc:postgresql://db/crm?user=app&password=hunter22&ssl=true', ['hunter22']],
])("a URL's password: %s", (value, secrets) => {
  for (const declared of [[], ['BACKEND']])
    expect(guessSecrets({ BACKEND: value }, declared)).toEqual([{ name: 'BACKEND', secrets }])
})

// EVIDENCE-OF docs/configuration.md: in a URL: the password, in the value of any variable, as in
//   `DATABASE_URL=postgres://app:hunter22@db/crm` or `…?password=hunter22`, and members with such names of a query or a
//   connection string, as in `AccountName=crm;AccountKey=…`.
test.each([
  ...[
    'postgres://postgres:postgres@localhost/test',
    'amqp://guest:guest@mq',
    'https://crm.example:8443/a@b',
    'ssh://git@host:22/x',
  ],
  ...[
    'http://[2001:db8::1]:8080/@x',
    'mailto:a@b.example',
    'mysql://root:12345678@db/test',
    'https://crm.example/?q=a:b@c',
  ],
])('a URL without one, or with an ordinary word: %s', value => {
  expect(guessSecrets({ BACKEND: value }, [])).toEqual([])
})

test.each([
  ...[
    'Authorization',
    'Set-Cookie',
    'X-Api-Key',
    'apiKey',
    'accessTokens',
    'client_secret',
    'passwd',
    'passwort',
  ],
  ...['credentials', 'passphrase', 'token_url'],
])('a header or member that is better not shown: %s', name => {
  expect(isSecretMember(name)).toBe(true)
})

test.each(['key', 'pass', 'content-type', 'author'])('a header or member that is shown: %s', name => {
  expect(isSecretMember(name)).toBe(false)
})

// EVIDENCE-OF docs/guides/staging.md: A count under `input_tokens`, `output_tokens`, `max_tokens`, `total_tokens`, `prompt_tokens`
//   or `completion_tokens` is shown, as a text of up to ten digits too: `"1,522"`.
test('a count of tokens is a figure under six names, as digits and separators; all else stays a secret', () => {
  const counts = ['input', 'output', 'max', 'total', 'prompt', 'completion'].map(of => `${of}_tokens`)
  const others = ['AGENT_TOKENS', 'tokens', 'access_tokens', 'Max_Tokens', 'max_token', 'my_max_tokens']
  const digit = fc.integer({ min: 0, max: 9 })
  const separated = fc.tuple(fc.constantFrom('', ',', '.', ' ', '_', "'"), digit).map(pair => pair.join(''))
  const figure = (maxLength: number, minLength = 0) =>
    fc
      .tuple(digit, fc.array(separated, { minLength, maxLength }))
      .map(([first, rest]) => first + rest.join(''))
  fc.assert(
    fc.property(fc.constantFrom(...counts), fc.constantFrom(...others), figure(9), (count, other, text) => {
      expect([isSecretMember(count, text), isSecretMember(other, text)]).toEqual([false, true])
    }),
  )
  const noFigure = fc.oneof(
    figure(30, 10),
    fc.tuple(figure(4), fc.stringMatching(/^[^\d,. _']$/), figure(4)).map(parts => parts.join('')),
    fc.constantFrom('sk-0123456789abcdef', '', '1,,522', '1,522,', '4242 4242 4242 4242', ['1,522']),
  )
  fc.assert(
    fc.property(fc.constantFrom(...counts), noFigure, (count, value) => {
      expect(isSecretMember(count, value)).toBe(true)
    }),
  )
})
