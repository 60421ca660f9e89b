/** The suite must run on the Node that ships in the container, not on whatever the machine has. */
export default function assertNodeVersion(): void {
  const [major] = process.versions.node.split('.')
  if (major !== '24') {
    throw new Error(`expected Node 24, got ${process.version}: run the suite with "npm test", not directly`)
  }
}
