/** The program that `npm run build:rehearsal` makes a file of. In a project, it is `npm run staging:check`. */
export {}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`expected Node 22.18 or later, got ${process.version}\n`)
  process.exit(64)
}

// Imported dynamically, since an older Node ends in the first thing that it lacks.
const { runCheckCommand } = await import('./command/command.ts')
const code = await runCheckCommand(process.argv.slice(2), process.env)
// Standard input, where the log comes from, may stay open.
process.stdout.write('', () => process.exit(code))
