interface SparkProps {
  /** What it shows: a drawing says nothing to screen readers. */
  readonly label: string
  /** Of the points, from 0 to 1, the latest last. */
  readonly heights: readonly number[]
  /** Points to draw apart, at any height; absent: all are joined by a line. */
  readonly isBad?: (index: number) => boolean
}

/** A chart as small as a word, without a scale: what it comes to stands beside it. */
export function Spark({ label, heights, isBad }: SparkProps) {
  const line = heights.map((height, index) => `${index === 0 ? 'M' : 'L'}${index + 0.5} ${1 - height}`)
  const bars = (wanted: boolean) =>
    heights.map((height, index) => (isBad!(index) === wanted ? `M${index + 0.5} 1V${1 - height}` : ''))
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${heights.length} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {isBad === undefined ? (
        <path class="tone-accent" d={line.join('')} />
      ) : (
        <>
          <path class="tone-good" d={bars(false).join('')} />
          <path class="tone-bad" d={bars(true).join('')} />
        </>
      )}
    </svg>
  )
}
