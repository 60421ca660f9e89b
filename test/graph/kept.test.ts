import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { judge } from '../../staging/tasks/judge.ts'
import { readTasks } from '../../staging/tasks/read-tasks.ts'
import { recordedModel } from '../support/recording.ts'
import { testService } from '../support/service.ts'

const FOLDER = fileURLToPath(new URL('../recordings/', import.meta.url))
const { tasks } = await readTasks(`${FOLDER}tasks.yaml`)
const recorded = tasks.filter(({ name }) => existsSync(`${FOLDER}${name}.json`))

/** The runs kept with "Keep as test" in the rehearsal's dashboard. */
test.each(recorded)('$name', async ({ name = '', input, config, expect: expected }) => {
  const { fixtures } = JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8'))
  const from = new Date()
  const service = await testService(await recordedModel(name, { model: fixtures[0].match.model }))
  const reply = await service.run(input, config)
  expect(judge(expected, reply, { from, to: new Date() })).toEqual([])
})
