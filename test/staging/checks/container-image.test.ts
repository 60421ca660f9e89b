import { expect, test } from 'vitest'
import {
  containerUrls,
  inspectImage,
  type RunProgram,
} from '../../../staging/checks/parts/container-image.ts'

const missing = () => Promise.reject(Object.assign(new Error('spawn ENOENT'), { code: 'ENOENT' }))
const failing = (stderr: string) =>
  Promise.reject(Object.assign(new Error('Command failed'), { code: 1, stderr }))

/** Programs that answer by their first arguments; others are not installed. */
function programs(answers: Record<string, Record<string, string>>): { run: RunProgram; calls: string[] } {
  const calls: string[] = []
  const run: RunProgram = (program, args) => {
    const call = args.join(' ')
    calls.push(`${program} ${call}`)
    const known = answers[program]
    if (known === undefined) return missing()
    const answer = Object.entries(known).find(([start]) => call.startsWith(start))
    return answer === undefined ? failing(`no such thing: ${call}\n`) : Promise.resolve(answer[1])
  }
  return { run, calls }
}

const health = { Test: ['CMD', 'curl', 'http://localhost:8080/health'], Timeout: 5e9 }
const inspected = JSON.stringify([
  { Size: 123_456_789, Config: { ExposedPorts: { '8080/tcp': {} }, Env: ['A=1'], Healthcheck: health } },
])
const docker = {
  'image inspect agent': inspected,
  'create agent': 'abc123\n',
  'cp -L abc123:/etc/os-release -': 'etc/os-release\0\0NAME="Debian"\nID=debian\n',
  'rm abc123': '',
}

test('docker: size, ports and system, and nothing is left behind', async () => {
  const { run, calls } = programs({ docker })
  expect(await inspectImage('agent', run)).toEqual({
    bytes: 123_456_789,
    ports: ['8080/tcp'],
    system: docker['cp -L abc123:/etc/os-release -'],
    environment: ['A=1'],
    health,
  })
  expect(calls.at(-1)).toBe('docker rm abc123')
})

test('docker: an image without an operating system', async () => {
  const { 'cp -L abc123:/etc/os-release -': _, ...bare } = docker
  const facts = { ...bare, 'image inspect agent': JSON.stringify([{ Size: 5 }]) }
  expect(await inspectImage('agent', programs({ docker: facts }).run)).toEqual({
    bytes: 5,
    ports: [],
    system: '',
    environment: [],
  })
})

test('podman, if there is no docker, or docker does not have the image', async () => {
  const first = programs({ podman: docker })
  expect((await inspectImage('agent', first.run)).bytes).toBe(123_456_789)
  const second = programs({ docker: {}, podman: docker })
  expect((await inspectImage('agent', second.run)).bytes).toBe(123_456_789)
})

test('buildah, if there is neither', async () => {
  const { run, calls } = programs({
    buildah: {
      'inspect --type image agent': JSON.stringify({
        OCIv1: { config: { ExposedPorts: { '8080/tcp': {} } } },
      }),
      'from --pull-never agent': 'agent-working-container\n',
      'run agent-working-container -- sh -c du': '230000\t/\n',
      'run agent-working-container -- sh -c cat': 'ID=debian\n',
      'rm agent-working-container': '',
    },
  })
  expect(await inspectImage('agent', run)).toEqual({
    bytes: 230_000 * 1024,
    ports: ['8080/tcp'],
    system: 'ID=debian\n',
    environment: [],
  })
  expect(calls.at(-1)).toBe('buildah rm agent-working-container')
})

test('none of them: gives every reason', async () => {
  const { run } = programs({ docker: {} })
  await expect(inspectImage('agent', run)).rejects.toThrow(
    'the image agent could not be inspected: docker: no such thing: image inspect agent; podman: not installed; buildah: not installed',
  )
})

test("the internal URLs of an image's containers", async () => {
  const running = {
    'ps -q --filter ancestor=agent': 'abc123\n',
    'inspect --format {{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}} abc123':
      '172.17.0.2 172.18.0.2 \n',
  }
  const { run } = programs({ docker: { 'ps -q --filter ancestor=agent': '' }, podman: running })
  expect(await containerUrls('agent', run)).toEqual(['http://172.17.0.2:8080', 'http://172.18.0.2:8080'])
  await expect(containerUrls('agent', programs({}).run)).rejects.toThrow(
    'no running container of the image agent',
  )
})
