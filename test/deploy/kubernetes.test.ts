import { describe, expect, test } from 'vitest'
import { environment, PORT } from '../../src/config.ts'
import { documentsOf, textOf } from './documents.ts'

interface Setting {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: Readonly<Record<string, unknown>> }
}

interface Container {
  readonly image: string
  readonly ports: readonly object[]
  readonly env: readonly Setting[]
  readonly securityContext: object
  readonly resources: object
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } }
  readonly startupProbe: Probe
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
}

interface Probe {
  readonly periodSeconds: number
  readonly failureThreshold: number
}

interface Deployment {
  readonly kind: 'Deployment'
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector: object
    readonly template: {
      readonly metadata: { readonly labels: object }
      readonly spec: {
        readonly containers: readonly [Container]
        readonly terminationGracePeriodSeconds: number
        readonly securityContext: object
      }
    }
  }
}

const documents = documentsOf('deploy/kubernetes.yaml') as { kind: string }[]
const find = (kind: string) => documents.find(document => document.kind === kind)
const { metadata, spec } = find('Deployment') as Deployment
const pod = spec.template.spec
const [container] = pod.containers
const { version } = JSON.parse(textOf('package.json')) as { version: string }
const settings = Object.fromEntries(container.env.map(entry => [entry.name, entry]))
const defaults = environment.parse({})

test('all documents select the same pods', () => {
  const labels = spec.template.metadata.labels
  const name = metadata.name
  expect(spec.selector).toEqual({ matchLabels: labels })
  expect(find('Service')).toMatchObject({ spec: { selector: labels } })
  expect(find('PodDisruptionBudget')).toMatchObject({ spec: { selector: { matchLabels: labels } } })
  expect(find('NetworkPolicy')).toMatchObject({ spec: { podSelector: { matchLabels: labels } } })
  expect(find('HorizontalPodAutoscaler')).toMatchObject({
    spec: { scaleTargetRef: { kind: 'Deployment', name } },
  })
})

describe('the pod', () => {
  test('meets the restricted pod security standard, and more', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod).not.toHaveProperty('volumes')
    const user = /^USER (\d+):(\d+)$/m.exec(textOf('Dockerfile'))
    expect(pod.securityContext).toMatchObject({ runAsUser: Number(user?.[1]), runAsGroup: Number(user?.[2]) })
  })

  test("runs this version's image, on the interface's port", () => {
    expect(container.image).toBe(`agent-task-service:${version}`)
    expect(container.ports).toEqual([{ name: 'http', containerPort: PORT }])
    expect(find('Service')).toMatchObject({ spec: { ports: [{ port: PORT, targetPort: 'http' }] } })
  })

  test('its grace period outlasts the drain, which outlasts a run', () => {
    const drain = Number(settings.SHUTDOWN_GRACE_SEC?.value)
    const pause = container.lifecycle.preStop.sleep.seconds
    expect(drain).toBeGreaterThan(defaults.RUN_TIMEOUT_SEC)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(120)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pause + drain)
  })

  test("has the interface's probes", () => {
    const { startupProbe, readinessProbe, livenessProbe } = container
    for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
      expect(probe).toMatchObject({ httpGet: { path: '/health', port: 'http' }, timeoutSeconds: 5 })
    }
    // Started within 30 s; down after more than three checks, one every 30 s; no task while it drains.
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBe(30)
    expect([livenessProbe.periodSeconds, livenessProbe.failureThreshold]).toEqual([30, 4])
    expect(readinessProbe.failureThreshold).toBe(1)
  })

  test('gets settings that the service reads', () => {
    const given = Object.values(settings).filter(({ value }) => value !== undefined)
    expect(Object.keys(environment.shape)).toEqual(expect.arrayContaining(Object.keys(settings)))
    const values = Object.fromEntries(given.map(({ name, value }) => [name, value]))
    expect(environment.safeParse(values).error).toBeUndefined()
  })

  test('gets secrets only by reference', () => {
    const secrets = Object.entries(environment.shape)
      .filter(([, { description }]) => description?.startsWith('**Secret.**'))
      .map(([name]) => name)
    expect(secrets).toContain('AGENT_TOKENS')
    for (const { name, value, valueFrom } of Object.values(settings)) {
      if (secrets.includes(name))
        expect([value, valueFrom?.secretKeyRef.name]).toEqual([undefined, 'agent-task-service'])
    }
    expect(documents.map(({ kind }) => kind)).not.toContain('Secret')
  })
})

describe('many pods', () => {
  test('at least two, so that one can be removed', () => {
    const autoscaler = find('HorizontalPodAutoscaler') as { spec?: { minReplicas?: number } }
    expect(autoscaler.spec?.minReplicas).toBeGreaterThanOrEqual(2)
    expect(find('PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } })
    expect(spec).not.toHaveProperty('replicas')
    expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0 } } })
  })
})
