import { declaredVariables, environment } from '@agent-task-service/engine/config'
import { agent as definition } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'
import { documentsOf, textOf } from './documents.ts'

interface Service {
  readonly ports?: readonly string[]
  readonly stop_grace_period: string
  readonly healthcheck: object
}

interface Store extends Service {
  readonly command: readonly string[]
  readonly volumes: readonly string[]
}

interface Replica extends Service {
  readonly environment: Readonly<Record<string, string>>
}

const servicesOf = (file: string) =>
  (documentsOf(file) as [{ services: Record<string, unknown> }])[0].services
const { agent } = servicesOf('compose.yaml') as { agent: Service }
const { agent: published } = servicesOf('compose.override.yaml') as { agent: Service }
const fleet = servicesOf('compose.fleet.yaml') as { agent: Replica; balancer: Service; valkey: Store }
const defaults = environment.parse({})

const LOCKED = {
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  mem_limit: expect.stringMatching(/^\d+m$/),
}

// EVIDENCE-OF docs/guides/deployment.md: compose.yaml restarts it after a crash, keeps its root read-only, drops every capability,
//   limits its memory, and gives it 130 s to shut down.
// EVIDENCE-OF docs/reference/threat-model.md: No shell, no root, no writing, no other programs, and only its own folder to
//   read
test('a locked-down container that comes back after a crash: nothing writable, no capabilities, no new privileges, bounded memory', () => {
  expect(agent).toMatchObject({ ...LOCKED, init: false, restart: 'unless-stopped' })
})

test("one machine: the interface's port, and settings from a file outside the repository", () => {
  expect(published).toEqual({ ports: ['8080:8080'] })
  expect(agent).toMatchObject({ env_file: '.env' })
  expect(agent).not.toHaveProperty('environment')
  expect(textOf('.gitignore').split('\n')).toContain('.env')
})

// EVIDENCE-OF docs/guides/deployment.md: If that matters, run a fleet, or use Kubernetes.
// EVIDENCE-OF docs/guides/deployment.md: > `RUN_TIMEOUT_SEC` (110) < `SHUTDOWN_GRACE_SEC` (115) < the runtime's grace (compose: 130 s;
//   Kubernetes: 135 s)
test('the stop grace outlasts the drain, which outlasts a run', () => {
  const grace = Number(/^(\d+)s$/.exec(agent.stop_grace_period)?.[1])
  expect(grace).toBeGreaterThan(120)
  expect(grace).toBeGreaterThan(defaults.SHUTDOWN_GRACE_SEC)
  expect(defaults.SHUTDOWN_GRACE_SEC).toBeGreaterThan(defaults.RUN_TIMEOUT_SEC)
})

test('a fleet: three of the same agent, behind the one port that is published', () => {
  const { agent: replica, ...others } = fleet
  expect(replica).toMatchObject({
    extends: { file: 'compose.yaml', service: 'agent' },
    deploy: { replicas: 3 },
    depends_on: ['valkey'],
  })
  expect(declaredVariables(definition).REDIS_URL?.safeParse(replica.environment.REDIS_URL).success).toBe(true)
  expect([agent, replica, others.valkey].filter(({ ports }) => ports)).toEqual([])
  expect(others.balancer.ports).toEqual(published.ports)
  for (const service of Object.values(others)) expect(service).toMatchObject(LOCKED)
})

// EVIDENCE-OF docs/guides/deployment.md: Let it keep its data, as in `compose.fleet.yaml`:
test("the fleet's Redis forgets no side effect: it keeps its data on disk, and refuses what is too much", () => {
  const { command, volumes } = fleet.valkey
  const setting = (name: string) => command[command.indexOf(`--${name}`) + 1]
  expect(['appendonly', 'appendfsync', 'maxmemory-policy'].map(setting)).toEqual([
    'yes',
    'everysec',
    'noeviction',
  ])
  expect(volumes).toEqual(['valkey:/data'])
})
