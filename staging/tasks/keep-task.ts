import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import type { KeptTask, RunRecord } from '../api.ts'
import { objectIn } from '../json.ts'
import { judge } from './judge.ts'
import { parseTasks, TaskFileError } from './read-tasks.ts'
import { recordingOf } from './recording.ts'

/** The task file beside the recordings. */
const TASKS = 'tasks.yaml'
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/
const MAX_NAME = 60

/**
 * Writes a run's task with an expectation to a task file, and what its model calls answered as a recording, if the run met
 * the expectation: a replay could not.
 *
 * @param folder of recordings, as in `npm run record`
 * @param name of the task and of the recording
 * @param expect an `Expectation`, still to be validated
 * @throws {TaskFileError} if the name, the expectation, the task or the task file is not valid
 */
export async function keepTask(
  folder: string,
  { request, reply, events, at, wallMs }: RunRecord,
  name: string,
  expect: unknown,
): Promise<KeptTask> {
  if (!NAME.test(name) || name.length > MAX_NAME)
    throw new TaskFileError([`name: expected small letters, digits and single hyphens, ${MAX_NAME} at most`])
  const task = { name, input: request.input, ...(request.config && { config: request.config }), expect }
  const [read] = parseTasks(JSON.stringify({ tasks: [task] }), 'run').tasks
  const [tasksFile, recordingFile] = [join(folder, TASKS), join(folder, `${name}.json`)]
  const text = await readFile(tasksFile, 'utf8').catch(() => 'tasks: []')
  const document = parseDocument(text)
  const isNew = text === 'tasks: []' || parseTasks(text, TASKS).tasks.every(one => one.name !== name)
  if (!isNew || existsSync(recordingFile)) throw new TaskFileError([`name: ${name} is kept already`])

  const when = { from: new Date(at), to: new Date(Date.parse(at) + wallMs) }
  const problems = judge(read!.expect, objectIn(reply), when)
  const recording = problems.length > 0 ? problems.join('; ') : recordingOf(events)
  const isRecorded = typeof recording !== 'string'
  document.addIn(['tasks'], document.createNode(task))
  await mkdir(folder, { recursive: true })
  await writeFile(tasksFile, document.toString({ flowCollectionPadding: true }))
  if (isRecorded) await writeFile(recordingFile, `${JSON.stringify(recording, null, 2)}\n`)
  return {
    tasks: tasksFile,
    recording: isRecorded ? recordingFile : null,
    ...(!isRecorded && { unrecorded: recording }),
  }
}
