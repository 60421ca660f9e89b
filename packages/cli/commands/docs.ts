import { type Command, expectNoArguments, usageOf } from '../command.ts'
import { writeDocuments } from '../docs/documents.ts'
import { ownAgent } from '../own-agent.ts'

export const usage = usageOf(`agent docs

Writes docs/openapi.json, the HTTP interface of the agent, and the table of its variables in docs/configuration.md,
between the comments <!-- configuration --> and <!-- /configuration -->.`)

export const run: Command = async args => {
  expectNoArguments(args)
  writeDocuments(await ownAgent())
  return 0
}
