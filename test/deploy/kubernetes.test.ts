import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { environment, PORT } from '../../src/config.ts'
import { documentsOf, textOf } from './documents.ts'

const MODELS = { Deployment, Service, PodDisruptionBudget, HorizontalPodAutoscaler, NetworkPolicy }
type Kind = keyof typeof MODELS

const documents = documentsOf('deploy/kubernetes.yaml') as { apiVersion: string; kind: Kind }[]
const find = (kind: Kind) => documents.find(document => document.kind === kind)
const deployment = new Deployment(find('Deployment') as never)
const pod = deployment.spec!.template.spec!
const container = pod.containers[0]!
const { version } = JSON.parse(textOf('package.json')) as { version: string }
const settings = Object.fromEntries((container.env ?? []).map(entry => [entry.name, entry]))
const defaults = environment.parse({})

describe('each document', () => {
  test.for(documents)("$kind conforms to Kubernetes' schema", document => {
    const Model = MODELS[document.kind]
    expect([document.apiVersion, document.kind]).toEqual([Model.apiVersion, Model.kind])
    expect(() => new Model(document as never).validate()).not.toThrow()
  })

  test('there is one of each', () => {
    expect(documents.map(({ kind }) => kind).sort()).toEqual(Object.keys(MODELS).sort())
  })

  test('all of them select the same pods', () => {
    const labels = deployment.spec!.template.metadata!.labels
    const name = deployment.metadata!.name
    expect(deployment.spec!.selector).toEqual({ matchLabels: labels })
    expect(find('Service')).toMatchObject({ spec: { selector: labels } })
    expect(find('PodDisruptionBudget')).toMatchObject({ spec: { selector: { matchLabels: labels } } })
    expect(find('NetworkPolicy')).toMatchObject({ spec: { podSelector: { matchLabels: labels } } })
    expect(find('HorizontalPodAutoscaler')).toMatchObject({
      spec: { scaleTargetRef: { kind: 'Deployment', name } },
    })
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
    const pause = container.lifecycle!.preStop!.sleep!.seconds
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
    expect(startupProbe!.periodSeconds! * startupProbe!.failureThreshold!).toBe(30)
    expect([livenessProbe!.periodSeconds, livenessProbe!.failureThreshold]).toEqual([30, 4])
    expect(readinessProbe!.failureThreshold).toBe(1)
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
        expect([value, valueFrom?.secretKeyRef?.name]).toEqual([undefined, 'agent-task-service'])
    }
    expect(documents.map(({ kind }) => kind)).not.toContain('Secret')
  })
})

describe('many pods', () => {
  test('at least two, so that one can be removed', () => {
    const autoscaler = find('HorizontalPodAutoscaler') as { spec?: { minReplicas?: number } }
    expect(autoscaler.spec?.minReplicas).toBeGreaterThanOrEqual(2)
    expect(find('PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } })
    expect(deployment.spec).not.toHaveProperty('replicas')
    expect(deployment.spec!.strategy).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } })
  })
})
