// Package everywhere holds one call of one tool as each kind of client makes it: the
// model providers' SDKs, MCP, curl, NATS and Go. README.md shows these very files and
// what they print.
//
// Its Go test holds the README to the files and needs nothing but Go. That they print
// what the README says is run by .ci/run sdks, which installs the SDKs first:
// readme.test.mjs.
package everywhere
