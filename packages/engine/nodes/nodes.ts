/** What the nodes of a graph that plans, calls tools and responds are made of. */

export type { Conversation, NodeConfig } from '../graph/graph-parts.ts'
export { askForStep, type Prompt, type Step } from './ask.ts'
export { finalAnswer } from './final-answer.ts'
export { withNotice, withoutNotice } from './notice.ts'
export { toolCallNode } from './tool-call.ts'
