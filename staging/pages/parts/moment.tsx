import { age, moment } from '../state/format.ts'

/** A time of day; with `since`, also how long ago. */
export function Moment({ at, since = false }: { at: string; since?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {moment(at)}
      {since && ` (${age(at)} ago)`}
    </time>
  )
}
