import { expect, test } from 'vitest'
import { inspectImage, type RunProgram } from '../../checks/parts/container-image.ts'

const missing = () => Promise.reject(Object.assign(new Error('spawn ENOENT'), { code: 'ENOENT' }))
const failing = (stderr: string) =>
  Promise.reject(Object.assign(new Error('Command failed'), { code: 1, stderr }))

/** Programs that answer by their first argument; others are not installed. */
const programs =
  (answers: Record<string, Record<string, string>>): RunProgram =>
  (program, [command = '']) => {
    if (answers[program] === undefined) return missing()
    const answer = answers[program][command]
    return answer === undefined ? failing(`no such thing: ${command}\n`) : Promise.resolve(answer)
  }

const config = {
  ExposedPorts: { '8080/tcp': {} },
  Env: ['A=1'],
  Healthcheck: { Test: ['CMD', 'curl', 'http://localhost:8080/health'], Timeout: 5e9 },
}
const engine = { image: JSON.stringify([{ Size: 123_456_789, Config: config }]), run: 'ID=debian\n' }
const facts = { bytes: 123_456_789, system: 'ID=debian\n', config }

test.for([
  ['docker', { docker: engine }, facts],
  ['podman, without docker', { podman: engine }, facts],
  ['podman, if docker does not have it', { docker: {}, podman: engine }, facts],
  ['an image without a system', { docker: { image: '[{"Size":5}]' } }, { bytes: 5, system: '', config: {} }],
] as const)('inspects with %s', async ([, answers, expected]) => {
  expect(await inspectImage('agent', programs(answers))).toEqual(expected)
})

test('if neither has it, the report gives every reason', async () => {
  await expect(inspectImage('agent', programs({ docker: {} }))).rejects.toThrow(
    'the image agent could not be inspected: docker: no such thing: image; podman: not installed',
  )
})
