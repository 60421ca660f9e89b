import { readFileSync } from 'node:fs'
import { guardTool } from '@agent-task-service/engine/testing'
import { calculator, createTime } from '@agent-task-service/test-support/agent/tools'
import { expect, test } from 'vitest'
import { FORMS_NOW, type Form, formsIn, judge } from './model-forms.ts'

const forms = formsIn(readFileSync(new URL('./data/forms.jsonl', import.meta.url), 'utf8'))
const tools = { calculator: guardTool(calculator), time: guardTool(createTime(() => FORMS_NOW)) }
const kinds = [...Map.groupBy(forms, ({ kind }) => kind)]

const shown = ({ expression, args, value }: Form) => `${expression ?? JSON.stringify(args)} is ${value}`

test.each(kinds.filter(([kind]) => !kind.startsWith('trap')))(
  'what models write as %s is answered as Python does',
  async (_, forms) => {
    for (const form of forms) {
      const [judgement, text] = await judge(form, tools)
      expect(judgement, `${shown(form)}: ${text}`).toBe('right')
    }
  },
)

test.each(kinds.filter(([kind]) => kind.startsWith('trap')))(
  '%s: what only looks alike is refused, or answered as Python does',
  async (_, forms) => {
    for (const form of forms) {
      const [judgement, text] = await judge(form, tools)
      expect(judgement, `${shown(form)}: ${text}`).not.toBe('wrong')
    }
  },
)
