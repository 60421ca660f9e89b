interface TileProps {
  readonly name: string
  readonly value: string
  readonly note?: string | undefined
  readonly tone?: 'bad' | 'warn' | undefined
}

/** A figure with its name, in a `dl`. */
export function Tile({ name, value, note, tone }: TileProps) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        {value}
        {note && <span class={tone ? `note tone-${tone}` : 'note'}>{note}</span>}
      </dd>
    </div>
  )
}
