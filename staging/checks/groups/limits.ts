import { type Check, type CheckGroup, Failed, NotRun } from '../check.ts'
import { quoted } from '../curl.ts'
import { inSeconds, percentile } from '../figures.ts'
import type { Session } from '../session/session.ts'
import { type ImageFacts, inspectImage } from './container-image.ts'
import { words } from './words.ts'

const PORT = 8080

export const limits: CheckGroup = {
  id: 'limits',
  title: 'The limits are kept',
  checks: session => [...ofRuns(session), ...ofImage(session), ...ofProcess(session)],
}

function ofRuns(session: Session): Check[] {
  const { runTimeoutMs, p95Ms, sampleSize } = session.limits
  const timed = session.curlFirst().replace('curl -sS -i', "curl -sS -o /dev/null -w '%{time_total} s\\n'")
  return [
    {
      id: 'limits.run_timeout',
      title: `Every run is answered within ${inSeconds(runTimeoutMs)}`,
      mandatory: true,
      why: words.runTimeout,
      how: timed,
      look: async () => {
        await session.allTasks()
        const late = session.runs.find(({ exchange }) => exchange.failure?.kind === 'timeout')
        if (late) throw new Failed(`but ${late.exchange.failure!.message}`, session.curlRun(late.request))
        if (!session.runs.some(({ exchange }) => exchange.failure === null))
          throw new NotRun('no run was answered')
      },
    },
    {
      id: 'limits.p95',
      title: `95% of the runs that succeed take at most ${inSeconds(p95Ms)}`,
      mandatory: true,
      why: words.p95,
      how: timed,
      look: async () => {
        await session.allTasks()
        const durations = () =>
          session.runs
            .filter(({ reply }) => reply.status === 'success')
            .map(({ exchange }) => exchange.wallMs)
        // A short task file is gone through again.
        for (let more = sampleSize - durations().length; more > 0; more -= 1) await session.again()
        const measured = durations()
        if (measured.length < sampleSize) {
          throw new NotRun(`it needs ${sampleSize} runs that succeed, and ${measured.length} did`)
        }
        const p95 = percentile(measured, 95)
        if (p95 <= p95Ms) return
        throw new Failed(
          `expected at most ${inSeconds(p95Ms)}, got ${inSeconds(p95)} of ${measured.length} runs`,
        )
      },
    },
  ]
}

function ofProcess({ options: { start }, limits: { startMs } }: Session): Check[] {
  const how = 'npm run staging:check -- URL --start COMMAND'
  return [
    {
      id: 'limits.start',
      title: `The agent answers /health within ${inSeconds(startMs)} of its start`,
      mandatory: start !== undefined,
      why: words.start,
      how,
      look: () => {
        if (start === undefined) throw new NotRun('the agent was not started by the checks: --start COMMAND')
        if (start.readyMs > startMs)
          throw new Failed(`expected at most ${inSeconds(startMs)}, got ${inSeconds(start.readyMs)}`)
      },
    },
    {
      id: 'limits.end',
      title: 'The agent ends by itself when it is told to (SIGTERM)',
      mandatory: false,
      why: words.end,
      how,
      look: async () => {
        if (start?.end === undefined)
          throw new NotRun('the agent was not started by the checks: --start COMMAND')
        const { clean, how: came } = await start.end()
        if (!clean) throw new Failed(`expected it to end, but ${came}`)
      },
    },
  ]
}

function ofImage({ options: { image }, limits: { imageBytes } }: Session): Check[] {
  let inspected: Promise<ImageFacts> | undefined
  const facts = () => {
    if (image === undefined) throw new NotRun('no image was named: --image NAME')
    inspected ??= inspectImage(image)
    return inspected
  }
  const named = quoted(image ?? '<image>')
  const about = (
    name: string,
    title: string,
    why: string,
    how: string,
    problemOf: (facts: ImageFacts) => string | undefined,
  ): Check => ({
    id: `limits.${name}`,
    title,
    mandatory: image !== undefined,
    why,
    how,
    look: async () => {
      const problem = problemOf(await facts())
      if (problem) throw new Failed(problem)
    },
  })
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  return [
    about(
      'image_size',
      `The image has at most ${megabytes(imageBytes)}`,
      words.image,
      `docker image inspect --format '{{.Size}}' ${named}`,
      ({ bytes }) =>
        bytes <= imageBytes
          ? undefined
          : `expected at most ${megabytes(imageBytes)}, got ${megabytes(bytes)}`,
    ),
    about(
      'image_base',
      'The image is not made from the alpine variant',
      words.base,
      `docker run --rm --entrypoint cat ${named} /etc/os-release`,
      ({ system }) =>
        /(?:^|[\0\n])ID="?alpine\b/.test(system)
          ? 'expected a slim variant, got ID=alpine in /etc/os-release'
          : undefined,
    ),
    about(
      'image_port',
      `The image declares no ports without ${PORT}`,
      words.port,
      `docker image inspect --format '{{json .Config.ExposedPorts}}' ${named}`,
      ({ ports }) =>
        ports.length === 0 || ports.includes(`${PORT}/tcp`)
          ? undefined
          : `expected ${PORT}/tcp, got ${ports.join(', ')}`,
    ),
  ]
}
