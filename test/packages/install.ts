import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'

/** Installs packed packages into a project, as npm does from a registry that is not needed here: others' packages are linked. */
export async function install(tarballs: readonly string[], project: string): Promise<void> {
  const modules = join(project, 'node_modules')
  const scope = join(modules, '@agent-task-service')
  await mkdir(scope, { recursive: true })
  // Other tests write to folders beside them, whose names begin with a dot.
  const names = readdirSync('node_modules').filter(name => !/^\.|^@agent-task-service$/.test(name))
  for (const name of names) await symlink(resolve('node_modules', name), join(modules, name))
  for (const tarball of tarballs) {
    const name = basename(tarball).replace(/^agent-task-service-(.*)-[\d.]+\.tgz$/, '$1')
    await mkdir(join(scope, name), { recursive: true })
    execFileSync('tar', ['-xzf', tarball, '-C', join(scope, name), '--strip-components', '1'])
  }
}
