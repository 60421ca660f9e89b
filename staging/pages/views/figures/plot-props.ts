export interface PlotProps {
  readonly title: string
  /** Where each span begins, in seconds since 1970. */
  readonly from: readonly number[]
  readonly series: readonly PlotSeries[]
  readonly format: (value: number | null) => string
  /** Top of the scale. */
  readonly highest?: number
  /** A value as it stands on the axis; absent: as `format` has it. */
  readonly tick?: (value: number) => string
  /** A limit to hold the values against; the scale is then logarithmic, since they may be far below it. */
  readonly line?: { readonly at: number; readonly label: string }
}

export interface PlotSeries {
  readonly label: string
  /** One for each span; null where it has none. */
  readonly values: readonly (number | null)[]
}
