import { declaredVariables, environment, isSecret } from '@agent-task-service/engine/config'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { documentsOf, textOf } from './documents.ts'

interface Setting {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: Readonly<Record<string, unknown>> }
}

interface Container {
  readonly env: readonly Setting[]
  readonly securityContext: object
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } }
}

interface Pod {
  readonly containers: readonly [Container]
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
}

const documents = documentsOf('deploy/kubernetes.yaml') as { kind: string }[]
const deployment = documents.find(({ kind }) => kind === 'Deployment')
const pod = (deployment as unknown as { spec: { template: { spec: Pod } } }).spec.template.spec
const [container] = pod.containers
const settings = Object.fromEntries(container.env.map(entry => [entry.name, entry]))
const defaults = environment.parse({})

// EVIDENCE-OF docs/guides/deployment.md: deploy/kubernetes.yaml meets the restricted pod security standard and needs Kubernetes 1.30
//   (`preStop.sleep`).
// EVIDENCE-OF docs/reference/threat-model.md: Restrict outgoing connections
test('the pod meets the restricted pod security standard, and more', () => {
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const user = /^USER (\d+):(\d+)$/m.exec(textOf('Dockerfile'))
  expect(pod.securityContext).toMatchObject({ runAsUser: Number(user?.[1]), runAsGroup: Number(user?.[2]) })
})

// EVIDENCE-OF docs/guides/deployment.md: > `RUN_TIMEOUT_SEC` (110) < `SHUTDOWN_GRACE_SEC` (115) < the runtime's grace (compose: 130 s;
//   Kubernetes: 135 s)
test('its grace period outlasts the drain, which outlasts a run', () => {
  const drain = Number(settings.SHUTDOWN_GRACE_SEC?.value)
  expect(drain).toBeGreaterThan(defaults.RUN_TIMEOUT_SEC)
  const pause = container.lifecycle.preStop.sleep.seconds
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + drain)
})

test("it has the interface's probes: started within 30 s, down after more than three checks", () => {
  const probe = { httpGet: { path: '/health', port: 'http' }, timeoutSeconds: 5 }
  expect(container).toMatchObject({
    startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 30 },
    readinessProbe: { ...probe, failureThreshold: 1 },
    livenessProbe: { ...probe, periodSeconds: 30, failureThreshold: 4 },
  })
})

// EVIDENCE-OF docs/guides/deployment.md: In Kubernetes, a Secret, by reference
test('it gets settings that the service reads, and secrets only by reference', () => {
  const declared = declaredVariables(agent)
  expect(Object.keys(declared)).toEqual(expect.arrayContaining(Object.keys(settings)))
  const given = Object.values(settings).filter(({ value }) => value !== undefined)
  const values = Object.fromEntries(given.map(({ name, value }) => [name, value]))
  expect(z.object(declared).safeParse(values).error).toBeUndefined()
  const secrets = Object.values(settings).filter(({ name }) => isSecret(declared[name]!))
  expect(secrets.map(({ name }) => name)).toContain('AGENT_TOKENS')
  for (const { value, valueFrom } of secrets)
    expect([value, valueFrom?.secretKeyRef.name]).toEqual([undefined, 'agent-task-service'])
})

const specOf = (kind: string) => documents.find(one => one.kind === kind) as unknown as { spec: object }

// EVIDENCE-OF docs/guides/deployment.md: It contains a Deployment without a fixed number of replicas, a Service, an autoscaler (2 to
//   10), a disruption budget (one at a time) and a network policy.
test('the autoscaler has 2 to 10 replicas, of which one at a time may be taken down', () => {
  expect(deployment).not.toHaveProperty('spec.replicas')
  expect(specOf('HorizontalPodAutoscaler').spec).toMatchObject({ minReplicas: 2, maxReplicas: 10 })
  expect(specOf('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 })
})

// EVIDENCE-OF docs/guides/deployment.md: `deploy/kubernetes.yaml` opens only DNS, ports 80 and 443, and Redis, and closes the cloud's
//   metadata service
// EVIDENCE-OF docs/guides/deployment.md: deploy/kubernetes.yaml meets the restricted pod security standard and needs Kubernetes 1.30
//   (`preStop.sleep`).
test("it may reach DNS, the web's ports and a labelled Redis, and not the cloud's metadata", () => {
  const { spec } = specOf('NetworkPolicy') as {
    spec: { egress: { ports: { port: number }[]; to?: object[] }[] }
  }
  expect(spec).toMatchObject({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'agent-task-service' } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: [{ port: 8080 }] }],
  })
  const ruleFor = (wanted: number) =>
    spec.egress.find(({ ports }) => ports.some(({ port }) => port === wanted))
  const [names, web, redis] = [53, 443, 6379].map(ruleFor)
  expect([names, web, redis].map(rule => [...new Set(rule?.ports.map(({ port }) => port))])).toEqual([
    [53],
    [443, 80],
    [6379],
  ])
  expect(web?.to).toEqual([
    { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
    { ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::254/128'] } },
  ])
  const labels = { matchLabels: { 'app.kubernetes.io/name': 'redis' } }
  expect(redis?.to).toEqual([
    { podSelector: labels },
    { podSelector: labels, namespaceSelector: expect.anything() },
  ])
})
