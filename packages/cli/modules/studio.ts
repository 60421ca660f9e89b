/** The loader of LangGraph's server: Node's, as in every command, instead of tsx, which takes what no other does. */
import { registerHooks } from 'node:module'
import './node.ts'

/** The server looks up which versions are installed, as only tsx lets it. */
const MANIFEST = /^@langchain\/.*\/package\.json$/

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return MANIFEST.test(specifier) ? { ...found, importAttributes: { type: 'json' } } : found
  },
})
