/** Tasks with what is expected of their answers. */
export { judge } from './judge.ts'
export { LANGUAGE_TASKS, parseTasks, readTasks, SHIPPED_TASKS, TaskFileError } from './read-tasks.ts'
export { expectation, type SampleTask } from './task.ts'
