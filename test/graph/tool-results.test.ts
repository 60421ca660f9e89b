import { expect, test } from 'vitest'
import { asks, call, says } from '../support/openai-replies.ts'
import { inTurn, openAIServer } from '../support/openai-server.ts'
import { testService } from '../support/service.ts'
import { tool } from './sample-tools.ts'

test.each([[[1, 2]], [{ length: 3 }], [undefined], [7]])(
  'a tool that returns %j has failed',
  async result => {
    const broken = tool('broken', () => result as unknown as string)
    const { env, requests } = await openAIServer(inTurn(asks([call('broken', {})]), says('It failed.')))
    const { run } = await testService(env, { tools: [broken] })
    expect(await run('Use it')).toMatchObject({ status: 'success', output: 'It failed.' })
    expect(requests[1]?.body.messages.at(-1)?.content).toBe('Error: the tool broken failed.')
  },
)
