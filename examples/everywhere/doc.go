// Package everywhere holds the same call of one tool for each kind of client: the model
// providers' SDKs, MCP, curl, NATS and Go. docs/clients.md shows these files and their
// output.
//
// Its Go test compares the page with the files and needs only Go. page.test.mjs runs
// them and compares their output with the page; .ci/run sdks installs the SDKs for it.
package everywhere
