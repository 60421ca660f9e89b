import { AgentClient } from '../../agents/agent-client.ts'
import { shellQuoted } from '../../curl.ts'
import { inSeconds, percentile } from '../../figures.ts'
import { AGENT_PORT, HEALTH_TIMEOUT_MS } from '../../limits.ts'
import { secretsIn } from '../../redact.ts'
import { type Check, type CheckGroup, check } from '../check.ts'
import type { CheckOptions } from '../options.ts'
import { type ImageFacts, inspectImage } from '../parts/container-image.ts'
import { healthWatch } from '../parts/health-watch.ts'
import { LONG_RUNS, long } from '../parts/long.ts'
import { nowAndThen } from '../parts/now-and-then.ts'
import type { CheckedRun } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'
import { waysOf } from '../ways.ts'

export const limits: CheckGroup = {
  id: 'limits',
  title: 'The limits are met',
  load: session => ({ alone: long(session).length > 0 ? LONG_RUNS : 0, beside: 0 }),
  checks: session => [
    ...ofRuns(session),
    ...nowAndThen(session),
    ...ofImage(session),
    ...ofProcess(session),
    ...long(session),
  ],
}

function ofRuns(session: Session): Check[] {
  const { runTimeoutMs, p95Ms } = session.limits
  return [
    check('limits.run_timeout', `Every run ends within ${inSeconds(runTimeoutMs)}`, async () => {
      const late = () => session.runs.find(({ exchange }) => exchange.failure?.kind === 'timeout')
      if (late() === undefined) await session.allTasks()
      const first = late()
      if (first) session.failIn(first, `but ${first.exchange.failure!.message}`)
      if (session.runs.every(({ exchange }) => exchange.failure)) throw new NotRun('no run got a reply')
    }),
    check('limits.p95', `95% of successful runs take at most ${inSeconds(p95Ms)}`, async () => {
      await session.allTasks()
      const all = await p95Of(session, () => true)
      if (all.p95 <= p95Ms) return
      // How many runs it does at once is up to the agent, so one that keeps others waiting is judged by those without others.
      const { p95, runs } = await p95Of(session, ({ alone, busy }) => alone && busy === undefined)
      if (p95 <= p95Ms) return
      throw new Failed(`expected at most ${inSeconds(p95Ms)}, got ${inSeconds(p95)} over ${runs} runs`)
    }),
    healthWatch(session),
  ]
}

/**
 * The 95th percentile of successful runs, in milliseconds, and how many there are.
 *
 * @throws NotRun if there are too few
 */
async function p95Of(session: Session, isCounted: (run: CheckedRun) => boolean) {
  const { sampleSize } = session.limits
  const durations = () =>
    session.runs
      .filter(run => run.reply.status === 'success' && isCounted(run))
      .map(({ exchange }) => exchange.wallMs)
  // A short task file is run again.
  for (let more = sampleSize - durations().length; more > 0; more -= 1) await session.again()
  const measured = durations()
  if (measured.length < sampleSize) {
    const busy = session.runs.findLast(run => run.busy !== undefined)?.busy
    throw new NotRun(busy?.why ?? `needs ${sampleSize} successful runs, got ${measured.length}`)
  }
  return { p95: percentile(measured, 95), runs: measured.length }
}

function ofProcess(session: Session): Check[] {
  const { start, notStarted, image } = session.options
  const { startMs } = session.limits
  const { outsideUrls = [] } = start ?? {}
  const starts = check(
    'limits.start',
    `The agent answers /health within ${inSeconds(startMs)} of its start`,
    () => {
      session.how = waysOf(session.options).restart
      if (start === undefined) throw new Failed(`expected it to start: ${notStarted}`)
      if (start.readyMs <= startMs) return
      // Without the time that nobody had.
      const ownMs = start.readyMs * (1 - (start.busy?.share ?? 0))
      if (start.busy && ownMs <= startMs) throw new NotRun(start.busy.why)
      throw new Failed(`expected at most ${inSeconds(startMs)}, got ${inSeconds(start.readyMs)}`)
    },
  )
  const outside = check(
    'limits.outside',
    'The agent accepts connections from outside its own machine',
    async () => {
      session.how = `curl -sS -i ${outsideUrls[0]}/health`
      // One that listens to itself alone does not even answer through a published port.
      if (image !== undefined) throw new OutOfSight('where its port is published is up to whoever starts it')
      await expectReachable(outsideUrls, session.options)
    },
  )
  return [
    ...(start !== undefined || notStarted !== undefined ? [starts] : []),
    ...(outsideUrls.length > 0 ? [outside] : []),
  ]
}

/** @throws OutOfSight if none can be reached for another reason */
async function expectReachable(urls: readonly string[], options: CheckOptions): Promise<void> {
  const calls = urls.map(url => new AgentClient({ url }).health({ timeoutMs: HEALTH_TIMEOUT_MS }))
  const failures = (await Promise.all(calls)).map(({ failure }) => failure)
  if (failures.includes(null)) return
  if (!failures.some(failure => failure?.kind === 'refused'))
    throw new OutOfSight('none of its other addresses could be reached')
  throw new Failed(
    `expected an answer at ${urls.join(' or ')}, but the connection was refused: listen on 0.0.0.0, not on 127.0.0.1 (for a container, name its image: ${waysOf(options).image})`,
  )
}

function ofImage(session: Session): Check[] {
  const { image } = session.options
  const { imageBytes } = session.limits
  if (image === undefined) return []
  const inspect = () => inspectImage(image)
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  const imageIs = (
    name: string,
    title: string,
    problems: (facts: ImageFacts) => readonly (string | false)[],
  ): Check =>
    check(`limits.image_${name}`, title, async () => {
      session.how = `docker image inspect ${shellQuoted(image)}; docker run --rm --entrypoint cat ${shellQuoted(image)} /etc/os-release`
      expectNone(problems(await session.once(inspect)).filter(problem => problem !== false))
    })
  return [
    imageIs('size', `The image has at most ${megabytes(imageBytes)}`, ({ bytes }) => [
      bytes > imageBytes && `expected at most ${megabytes(imageBytes)}, got ${megabytes(bytes)}`,
    ]),
    imageIs('base', 'The image is not based on the alpine variant', ({ system }) => [
      /^ID="?alpine\b/m.test(system) && 'expected a slim variant, got ID=alpine in /etc/os-release',
    ]),
    imageIs('port', `If the image declares ports, ${AGENT_PORT} is among them`, ({ config }) => {
      const ports = Object.keys(config.ExposedPorts ?? {})
      const isMissing = ports.length > 0 && !ports.includes(`${AGENT_PORT}/tcp`)
      return [isMissing && `expected ${AGENT_PORT}/tcp, got ${ports.join(', ')}`]
    }),
    imageIs(
      'health',
      `The image's health check is GET /health on port ${AGENT_PORT}: every 30 s, within 5 s, 3 retries`,
      ({ config: { Healthcheck: { Test, Interval, Timeout, Retries } = {} } }) => {
        if (Test === undefined) throw new OutOfSight('the image declares no health check')
        const command = Test.join(' ')
        const isOther = /https?:|\blocalhost\b|127\.0\.0\.1/.test(command) && !/8080\/health\b/.test(command)
        const [interval, timeout] = [Interval, Timeout].map(time => (time ?? 0) / 1e9 || 30)
        return [
          isOther && `expected GET /health on port ${AGENT_PORT}, got ${command}`,
          interval !== 30 && `expected an interval of 30 s, got ${interval}`,
          timeout !== 5 && `expected a time-out of 5 s, got ${timeout}`,
          (Retries || 3) !== 3 && `expected 3 retries, got ${Retries}`,
        ]
      },
    ),
    imageIs('environment', 'The image holds no secret in its environment', ({ config: { Env = [] } }) => {
      const variables = Object.fromEntries(Env.map(one => one.split(/=(.*)/s)))
      // Language images hold the fingerprint of a public key.
      const names = [...secretsIn(variables).keys()].filter(name => !name.startsWith('GPG_'))
      return names.map(name => `expected no value for ${name}, got one`)
    }),
  ]
}
