/** Changes a clone of the project, argv[2], as docs/guides/graph.md describes for another provider's chat class. */
import { followGuide, readSection } from '@agent-task-service/test-support/guide'

await followGuide(await readSection('graph.md', "Use another provider's chat class"), process.argv[2]!)
