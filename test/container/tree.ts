import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** All paths below `root`, relative to it, sorted. Does not follow links, which may lead outside. */
export async function pathsIn(root: string, folder = ''): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const paths = entries.map(async entry => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...(await pathsIn(root, path))] : [path]
  })
  return (await Promise.all(paths)).flat().sort()
}

/** Bytes on disk; a file with several names counts once. */
export async function sizeOf(root: string): Promise<number> {
  const sizes = new Map<number, number>()
  for (const path of await pathsIn(root)) {
    const { ino, blocks } = await lstat(join(root, path))
    sizes.set(ino, blocks * 512)
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/** Files, links and folders that `base` lacks or has with other content. */
export async function addedTo(base: string, root: string): Promise<string[]> {
  const added: string[] = []
  for (const path of await pathsIn(root)) {
    const [was, is] = [await facts(base, path), await facts(root, path)]
    if (was !== is || !(await equalContent(base, root, path))) added.push(path)
  }
  return added
}

/** Files below `root` that contain `text`. */
export async function filesWith(root: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const path of await pathsIn(root)) {
    if ((await lstat(join(root, path))).isFile() && (await readFile(join(root, path))).includes(text))
      found.push(path)
  }
  return found
}

async function facts(root: string, path: string): Promise<string | undefined> {
  const stat = await lstat(join(root, path)).catch(() => undefined)
  if (stat === undefined) return undefined
  const { mode, uid, gid, size } = stat
  const target = stat.isSymbolicLink() ? await readlink(join(root, path)) : ''
  return [mode, uid, gid, stat.isDirectory() ? '' : size, target].join()
}

async function equalContent(base: string, root: string, path: string): Promise<boolean> {
  if (!(await lstat(join(root, path))).isFile()) return true
  const [was, is] = await Promise.all([readFile(join(base, path)), readFile(join(root, path))])
  return was.equals(is)
}
