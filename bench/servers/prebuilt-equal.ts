/** The prebuilt agent with the prompt and the tools of this service. */
import { servePrebuilt } from './prebuilt-agent.ts'
import { systemPrompt, tools } from './work.ts'

servePrebuilt(systemPrompt, tools)
