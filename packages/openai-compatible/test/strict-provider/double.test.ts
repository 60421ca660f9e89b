import type { Asked, AskedMessage } from '@agent-task-service/test-support/asked'
import { expect, test } from 'vitest'
import { draw } from './draw.ts'
import { kinds } from './kinds.ts'
import type { Manner, Rule } from './provider.ts'
import * as rules from './rules.ts'
import { templateNames } from './templates.ts'
import { json } from './text.ts'

const call = { id: 'abc123def', function: { name: 'add', arguments: '{"a":1}' } }
const conversation: readonly AskedMessage[] = [
  { role: 'system', content: 'Add.' },
  { role: 'user', content: 'Add 1.' },
  { role: 'assistant', content: '', tool_calls: [call] },
  { role: 'tool', content: '1', tool_call_id: 'abc123def' },
]
const good: Asked = { model: 'm', messages: conversation, tools: [{ function: { name: 'add' } }] }
const withCall = (change: object): Asked => ({
  ...good,
  messages: conversation.with(2, { ...conversation[2]!, tool_calls: [{ ...call, ...change }] }),
})
const withMessage = (at: number, change: object): Asked => ({
  ...good,
  messages: conversation.with(at, { ...conversation[at]!, ...change }),
})
const named = (name: string) => ({ function: { name, arguments: '{}' } })
const cap = rules.capAtMost('', () => '')
const schema = rules.plainSchemas('name', '', (_at, name) => name)
const kept = rules.keptMember(
  'reasoning',
  '',
  () => '',
  value => value === '',
)

test.each<[Rule, Asked]>([
  [rules.names, withCall(named('math.evaluate'))],
  [rules.names, withCall(named(''))],
  [rules.uniqueIds, { ...good, messages: [...conversation, ...conversation.slice(2)] }],
  [rules.uniqueIds, withCall({ id: '' })],
  [rules.plainIds, withCall({ id: 'a'.repeat(41) })],
  [rules.plainIds, withCall({ id: 'functions.add:0' })],
  [rules.nineLetters, withCall({ id: 'abc_123' })],
  [rules.wellFormed, withMessage(3, { content: 'cut \ud83d' })],
  [rules.wellFormed, withCall({ function: { name: 'add', arguments: '{"a":"\\ud83d"}' } })],
  [rules.noEmptyText, withMessage(3, { content: '' })],
  [rules.noEmptyText, withMessage(1, { content: [{ type: 'text', text: ' ' }] })],
  [rules.pairs, { ...good, messages: conversation.slice(0, 3) }],
  [rules.pairs, { ...good, messages: conversation.toSpliced(2, 1) }],
  [rules.pairs, withCall({ function: { name: 'add', arguments: '{"a":1}<|call|>' } })],
  [rules.toolsWithResults, { ...good, tools: [] }],
  [rules.choiceWithTools, { model: 'm', messages: conversation, tool_choice: 'auto' }],
  [rules.systemFirst, { ...good, messages: [...conversation, conversation[0]!] }],
  [rules.noUserBehindResults, { ...good, messages: [...conversation, { role: 'user', content: 'Go on.' }] }],
  [rules.noPrefill, { ...good, messages: conversation.slice(0, 3) }],
  [rules.knownMembers(), { ...good, top_k: 1 }],
  [rules.knownMembers(), withMessage(2, { reasoning: 'Hm.' })],
  [rules.knownMembers(), withCall({ extra_content: {} })],
  [rules.neededMember('tools', ''), { model: 'm', messages: conversation }],
  [rules.noStreamOptions, { ...good, stream_options: {} }],
  [rules.noTemperature, { ...good, temperature: 0 }],
  [rules.onlyNewCap, { ...good, max_tokens: 1 }],
  [rules.onlyOldCap, { ...good, max_completion_tokens: 1 }],
  [rules.noChoiceOfNone, { ...good, tool_choice: 'none' }],
  [cap, { ...good, max_tokens: rules.LARGEST_CAP + 1 }],
  [schema, { ...good, tools: [{ function: { name: 'odd', parameters: { $ref: '#' } } as never }] }],
])('a provider refuses what it should: $name', (rule, bad) => {
  const nobody = () => undefined
  expect(rule.objectionTo(good, nobody)).toBeUndefined()
  expect(rule.objectionTo(bad, nobody)).toBeDefined()
})

test('a provider takes back its own reasoning, and only the stand-in from others', () => {
  const own = () => ({ reasoning: 'Hm.' })
  const nobody = () => undefined
  expect(kept.objectionTo(withMessage(2, { reasoning: 'Hm.' }), own)).toBeUndefined()
  expect(kept.objectionTo(withMessage(2, { reasoning: 'Hm, hm.' }), own)).toBeDefined()
  expect(kept.objectionTo(good, own)).toBeDefined()
  expect(kept.objectionTo(good, nobody)).toBeDefined()
  expect(kept.objectionTo(withMessage(2, { reasoning: '' }), nobody)).toBeUndefined()
})

test('a seed has always the same provider, and others have others', () => {
  const drawn = (seed: number) => json({ ...draw(seed), seed: 0 })
  expect(drawn(17)).toBe(drawn(17))
  expect(new Set(Array.from({ length: 1_000 }, (_, seed) => drawn(seed))).size).toBe(1_000)
})

test('every kind, rule, template and manner is drawn', () => {
  const scenes = Array.from({ length: 3_000 }, (_, seed) => draw(seed))
  expect(new Set(scenes.map(({ kind }) => kind))).toEqual(new Set(kinds))
  const inTable = kinds.flatMap(({ always, maybe }) => [...always, ...maybe])
  expect(new Set(scenes.flatMap(drawn => drawn.rules))).toEqual(new Set(inTable))
  const asText = scenes.filter(({ manner }) => manner.calls === 'text').map(({ manner }) => manner.template)
  expect(new Set(asText)).toEqual(new Set(templateNames))
  for (const { manner } of kinds)
    for (const [member, choices] of Object.entries(manner))
      for (const choice of choices)
        expect(
          scenes.some(drawn => drawn.manner[member as keyof Manner] === choice),
          `${member}: ${choice}`,
        ).toBe(true)
})
