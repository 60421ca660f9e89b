/** What the nodes of a graph that plans, calls tools and responds are made of. */
export { askForStep, type Prompt, type Step } from './nodes/ask.ts'
export { finalAnswer } from './nodes/final-answer.ts'
export type { Conversation, NodeConfig } from './nodes/node.ts'
export { toolCallNode } from './nodes/tool-call.ts'
