import { AgentClient } from '../../agents/agent-client.ts'
import { quoted } from '../../curl.ts'
import { inSeconds, percentile } from '../../figures.ts'
import { AGENT_PORT, HEALTH_TIMEOUT_MS } from '../../limits.ts'
import { secretsIn } from '../../redact.ts'
import type { Check, CheckGroup } from '../check.ts'
import { containerUrls, inspectImage } from '../parts/container-image.ts'
import { words } from '../parts/words.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'

export const limits: CheckGroup = {
  id: 'limits',
  title: 'The limits are met',
  checks: session => [...ofRuns(session), ...ofImage(session), ...ofProcess(session)],
}

function ofRuns(session: Session): Check[] {
  const { runTimeoutMs, p95Ms, sampleSize } = session.limits
  const timed = session.curlFirst().replace('curl -sS -i', "curl -sS -o /dev/null -w '%{time_total} s\\n'")
  return [
    {
      id: 'limits.run_timeout',
      title: `Every run ends within ${inSeconds(runTimeoutMs)}`,
      why: words.runTimeout,
      how: timed,
      look: async () => {
        const late = () => session.runs.find(({ exchange }) => exchange.failure?.kind === 'timeout')
        if (late() === undefined) await session.allTasks()
        const first = late()
        if (first) throw new Failed(`but ${first.exchange.failure!.message}`, session.curlRun(first.request))
        if (session.runs.every(({ exchange }) => exchange.failure)) throw new NotRun('no run got a reply')
      },
    },
    {
      id: 'limits.p95',
      title: `95% of successful runs take at most ${inSeconds(p95Ms)}`,
      why: words.p95,
      how: timed,
      look: async () => {
        await session.allTasks()
        const durations = () =>
          session.runs
            .filter(({ reply }) => reply.status === 'success')
            .map(({ exchange }) => exchange.wallMs)
        // A short task file is run again.
        for (let more = sampleSize - durations().length; more > 0; more -= 1) await session.again()
        const measured = durations()
        if (measured.length < sampleSize) {
          throw new NotRun(`needs ${sampleSize} successful runs, got ${measured.length}`)
        }
        const p95 = percentile(measured, 95)
        if (p95 <= p95Ms) return
        const runs = `${measured.length} runs`
        throw new Failed(`expected at most ${inSeconds(p95Ms)}, got ${inSeconds(p95)} over ${runs}`)
      },
    },
  ]
}

function ofProcess({ options, limits: { startMs } }: Session): Check[] {
  const { start, notStarted, image } = options
  const { outsideUrls = [] } = start ?? {}
  return [
    {
      id: 'limits.start',
      title: `The agent answers /health within ${inSeconds(startMs)} of its start`,
      applies: start !== undefined || notStarted !== undefined,
      why: words.start,
      how: 'npm run staging:check -- URL --start COMMAND',
      look: () => {
        if (start === undefined) throw new Failed(`expected it to start: ${notStarted}`)
        if (start.readyMs > startMs)
          throw new Failed(`expected at most ${inSeconds(startMs)}, got ${inSeconds(start.readyMs)}`)
      },
    },
    {
      id: 'limits.outside',
      title: 'The agent accepts connections from outside its own machine or container',
      applies: start !== undefined && (outsideUrls.length > 0 || image !== undefined),
      why: words.port,
      how: `curl -sS -i ${outsideUrls[0] ?? 'http://<address of the container>:8080'}/health`,
      look: async () => expectReachable(image === undefined ? outsideUrls : await containerUrls(image)),
    },
  ]
}

/** @throws OutOfSight if none can be reached for another reason */
async function expectReachable(urls: readonly string[]): Promise<void> {
  const calls = urls.map(url => new AgentClient({ url }).health({ timeoutMs: HEALTH_TIMEOUT_MS }))
  const failures = (await Promise.all(calls)).map(({ failure }) => failure)
  if (failures.includes(null)) return
  if (!failures.some(failure => failure?.kind === 'refused'))
    throw new OutOfSight('none of its other addresses could be reached')
  throw new Failed(
    `expected an answer at ${urls.join(' or ')}, but the connection was refused: listen on 0.0.0.0, not on 127.0.0.1 (a container: publish its port on every address, or name it with --image)`,
  )
}

function unlessEqual(expected: string, value: number, got: number): string[] {
  return got === value ? [] : [`expected ${expected}, got ${got}`]
}

function ofImage(session: Session): Check[] {
  const { image } = session.options
  const { imageBytes } = session.limits
  if (image === undefined) return []
  const inspect = () => inspectImage(image)
  const facts = () => session.once(inspect)
  const named = quoted(image)
  const declared = `${AGENT_PORT}/tcp`
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  return [
    {
      id: 'limits.image_size',
      title: `The image has at most ${megabytes(imageBytes)}`,
      why: words.image,
      how: `docker image inspect --format '{{.Size}}' ${named}`,
      look: async () => {
        const { bytes } = await facts()
        const most = megabytes(imageBytes)
        if (bytes > imageBytes) throw new Failed(`expected at most ${most}, got ${megabytes(bytes)}`)
      },
    },
    {
      id: 'limits.image_base',
      title: 'The image is not based on the alpine variant',
      why: words.base,
      how: `docker run --rm --entrypoint cat ${named} /etc/os-release`,
      look: async () => {
        const isAlpine = /(?:^|[\0\n])ID="?alpine\b/.test((await facts()).system)
        if (isAlpine) throw new Failed('expected a slim variant, got ID=alpine in /etc/os-release')
      },
    },
    {
      id: 'limits.image_port',
      title: `If the image declares ports, ${AGENT_PORT} is among them`,
      why: words.port,
      how: `docker image inspect --format '{{json .Config.ExposedPorts}}' ${named}`,
      look: async () => {
        const { ports } = await facts()
        if (ports.length === 0 || ports.includes(declared)) return
        throw new Failed(`expected ${declared}, got ${ports.join(', ')}`)
      },
    },
    {
      id: 'limits.image_health',
      title: `The image's health check is GET /health on port ${AGENT_PORT}: every 30 s, within 5 s, 3 retries`,
      why: words.containerHealth,
      how: `docker image inspect --format '{{json .Config.Healthcheck}}' ${named}`,
      look: async () => {
        const { Test, Interval, Timeout, Retries } = (await facts()).health ?? {}
        if (Test === undefined) throw new OutOfSight('the image declares no health check')
        const command = Test.join(' ')
        const isOther = /https?:|\blocalhost\b|127\.0\.0\.1/.test(command) && !/8080\/health\b/.test(command)
        const seconds = (nanoseconds = 0) => nanoseconds / 1e9 || 30
        expectNone([
          ...(isOther ? [`expected GET /health on port ${AGENT_PORT}, got ${command}`] : []),
          ...unlessEqual('an interval of 30 s', 30, seconds(Interval)),
          ...unlessEqual('a time-out of 5 s', 5, seconds(Timeout)),
          ...unlessEqual('3 retries', 3, Retries || 3),
        ])
      },
    },
    {
      id: 'limits.image_environment',
      title: 'The image holds no secret in its environment',
      why: words.secretsGiven,
      how: `docker image inspect --format '{{json .Config.Env}}' ${named}`,
      look: async () => {
        const { environment } = await facts()
        const variables = Object.fromEntries(environment.map(one => one.split(/=(.*)/s)))
        // Language images hold the fingerprint of a public key.
        const names = [...secretsIn(variables).keys()].filter(name => !name.startsWith('GPG_'))
        expectNone(names.map(name => `expected no value for ${name}, got one`))
      },
    },
  ]
}
