/** The variables that the lines of `.env.example` show, commented out, with their values. */
export function exampleOf(lines: readonly string[]): [name: string, value: string][] {
  return lines.flatMap(line => {
    const [, name, value] = /^# ([A-Z_]+)=(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? '']]
  })
}
