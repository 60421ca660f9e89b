// Plain JavaScript, which any Node can read: it comes before everything that needs Node 24.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Node 24 or newer is needed, this is ${process.versions.node}: ` +
      'start by npm after "npm ci", which brings it on Linux and Intel Macs; elsewhere install it from https://nodejs.org\n',
  )
  process.exit(1)
}
