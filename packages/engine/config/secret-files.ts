/** Secrets as container runtimes mount them: `OPENAI_API_KEY_FILE=/run/secrets/openai` names a file that holds `OPENAI_API_KEY`. */
import { readFileSync } from 'node:fs'
import type { Problem, RawVariables } from '../agent/extra.ts'

/** The variable that names the file of another one. */
export function fileVariable(name: string): string {
  return `${name}_FILE`
}

/**
 * The secrets that are in files, and the path of each.
 *
 * @param secrets names of those that may be
 */
export function secretFilesIn(variables: RawVariables, secrets: readonly string[]) {
  return secrets.flatMap(name => {
    const path = variables[fileVariable(name)]?.trim()
    return path ? [[name, path] as const] : []
  })
}

/** Reads them. No problem shows a path, in whose place somebody may have set the secret. */
export function readSecretFiles(variables: RawVariables, secrets: readonly string[]) {
  const values: Record<string, string> = {}
  const problems: Problem[] = []
  for (const [name, path] of secretFilesIn(variables, secrets)) {
    const refuse = (message: string) => problems.push([fileVariable(name), message])
    if (variables[name]?.trim()) refuse(`expected it or ${name}, got both`)
    else
      try {
        values[name] = readFileSync(path, 'utf8')
        if (values[name].trim() === '') refuse('expected a secret in the file, got nothing')
      } catch (error) {
        refuse(`expected a file that can be read, got ${(error as NodeJS.ErrnoException).code}`)
      }
  }
  return { values, problems }
}
