import type { z } from 'zod'
import type { Extra, Problem, RawVariables } from '../agent/extra.ts'
import { secretTextsIn } from './secrets.ts'

/** Reads what one of them declares. Its settings are only good if there are no problems. */
export function readExtra<Kind extends Extra<z.ZodObject, object>>(
  extra: Kind,
  given: Readonly<Record<string, string>>,
  environment: RawVariables,
) {
  const issues = extra.variables.safeParse(given).error?.issues ?? []
  const wrong = issues.map(({ path: [name], message }): Problem => [String(name), message])
  const ignored = wrong.filter(([name]) => extra.ignores?.(name, given))
  const names = ignored.map(([name]) => name)
  const taken = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))
  const { data = {} } = extra.variables.safeParse(taken)
  const { settings = data, variables = {}, problems = [] } = extra.read?.(taken, environment) ?? {}
  return {
    configured: { extra, settings },
    variables,
    /** Variables whose values are not valid, and count as unset. */
    ignored,
    problems: [...wrong.filter(problem => !ignored.includes(problem)), ...problems],
    secrets: secretTextsIn(extra.variables, data, given),
  }
}
