/** Changes a clone of the project, argv[2], as docs/graph.md describes for another provider's chat class. */
import { followGuide, readGuide } from '../support/guide.ts'

const blocks = await readGuide('graph.md')
const change = blocks.filter(({ section }) => section === "Another provider's chat class")
if (change.length === 0) throw new Error('expected the section in docs/graph.md, got none of its name')
await followGuide(change, process.argv[2]!)
