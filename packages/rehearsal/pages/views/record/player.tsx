import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { duration } from '../../state/format.ts'
import { momentText, type RunMoment } from '../../state/run-graph.ts'

/** A place in a run. */
export interface PlaceInRun {
  /** How many moments have been. */
  readonly seen: number
  /** In seconds since the request arrived. */
  readonly at: number
}

/** How long `whole` plays a run, in seconds. */
const WHOLE_SEC = 6

/** How many seconds of the run pass in a second. */
const SPEEDS: Readonly<Record<string, (end: number) => number>> = {
  [`in ${WHOLE_SEC} s`]: end => end / WHOLE_SEC,
  '1×': () => 1,
  '4×': () => 4,
}

interface PlayerProps {
  readonly moments: readonly RunMoment[]
  /** The run's end, or now, in seconds. */
  readonly end: number
  readonly isUnderway: boolean
  /** Null: the end. */
  readonly place: PlaceInRun | null
  readonly onPlace: (place: PlaceInRun | null) => void
  /** What has not been yet is under it. */
  readonly veil: RefObject<HTMLElement | null>
}

/** A slider over a run's time, which plays it again; its arrow keys go from event to event. */
export function Player({ moments, end, isUnderway, place, onPlace, veil }: PlayerProps) {
  const slider = useRef<HTMLInputElement>(null)
  const [speed, setSpeed] = useState(Object.keys(SPEEDS)[0]!)
  const [isPlaying, setPlaying] = useState(false)
  const at = place?.at ?? end
  const latest = moments[(place?.seen ?? moments.length) - 1]

  function show(at: number): void {
    slider.current!.value = String(at)
    veil.current!.style.transform = `translateX(${(at / end) * 100}%)`
  }
  useLayoutEffect(() => show(at), [at, end])

  useEffect(() => {
    if (!isPlaying) return
    const rate = SPEEDS[speed]!(end)
    const from = Number(slider.current!.value)
    const begun = performance.now()
    let seen = seenAt(moments, from)
    let frame = requestAnimationFrame(function draw(now) {
      const at = from + (Math.max(0, now - begun) / 1000) * rate
      if (at >= end) return leave()
      show(at)
      const count = seenAt(moments, at)
      if (count !== seen) onPlace({ seen: count, at })
      seen = count
      frame = requestAnimationFrame(draw)
    })
    function leave(): void {
      onPlace(null)
      setPlaying(false)
    }
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, speed])

  function play(): void {
    if (!isPlaying && place === null) onPlace({ seen: 0, at: 0 })
    if (isPlaying) goTo(Number(slider.current!.value))
    setPlaying(!isPlaying)
  }

  function goTo(at: number): void {
    onPlace(at >= end ? null : { seen: seenAt(moments, at), at })
  }

  /** @param by how many moments, forwards or back */
  function step(by: number): void {
    const seen = Math.max(0, (place?.seen ?? moments.length) + by)
    onPlace(seen >= moments.length ? null : { seen, at: moments[seen - 1]?.at ?? 0 })
  }

  return (
    <div class="player">
      <div class="motion">
        {!isUnderway && (
          <>
            <button type="button" class="small" onClick={play}>
              {isPlaying ? 'Pause' : 'Play'}
            </button>
            <select aria-label="Speed" value={speed} onChange={event => setSpeed(event.currentTarget.value)}>
              {Object.keys(SPEEDS).map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </>
        )}
      </div>
      <input
        ref={slider}
        type="range"
        aria-label="Time in the run"
        aria-valuetext={`${duration(at * 1000)} of ${duration(end * 1000)}${latest ? `, ${momentText(latest)}` : ''}`}
        min={0}
        max={end}
        step="any"
        onInput={event => {
          setPlaying(false)
          goTo(Number(event.currentTarget.value))
        }}
        onKeyDown={event => {
          const by = STEPS[event.key]
          if (by === undefined) return
          event.preventDefault()
          setPlaying(false)
          step(by)
        }}
      />
      <span class="note" aria-hidden="true">
        {duration(end * 1000)}
      </span>
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }

/** How many moments have been at a time. */
function seenAt(moments: readonly RunMoment[], at: number): number {
  const after = moments.findIndex(moment => moment.at > at)
  return after === -1 ? moments.length : after
}
