/** What the conformance suite starts as a client: hands the address of the suite's server to the test, and waits for it. */
const [test = '', server = ''] = process.argv.slice(2)
await fetch(test, { method: 'POST', body: server })
