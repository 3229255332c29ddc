// Package mcpclient holds the MCP clients of the tests of internal/test/e2e: the official SDK's, a
// client without an SDK, and a client of the tasks extension.
//
// It promises what package system promises about waits.
package mcpclient
