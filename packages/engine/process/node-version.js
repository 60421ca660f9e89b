// Plain JavaScript that any Node can parse; it runs before anything that needs Node 24.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `expected Node 24 or newer, got ${process.versions.node}: ` +
      'on Linux and on Macs "npm ci" installs it for the npm scripts; elsewhere install it from https://nodejs.org\n',
  )
  process.exit(1)
}
