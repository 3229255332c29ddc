package mcpclient

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// Versions are the versions of MCP that the tests use, the newest first.
var Versions = []string{"2026-07-28", "2025-11-25", "2025-06-18"}

// Connect connects the SDK's client in a version of the protocol.
func Connect(t *testing.T, s *system.System, version string, set map[string]string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return ConnectTo(t, s, "/mcp", version, set, o)
}

// ConnectTo is [Connect] to the address of a tool set.
func ConnectTo(t *testing.T, s *system.System, path, version string, set map[string]string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	transport := &mcp.StreamableClientTransport{Endpoint: s.URLs[0] + path, HTTPClient: Web(t, s, set)}
	session, err := c.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { system.Await(t, "the MCP session is closed", func() { _ = session.Close() }) })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the version %s was agreed on, want %s", got, version)
	}
	return session
}

// EveryVersion runs a test with a client of each version.
func EveryVersion(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range Versions {
		t.Run(version, func(t *testing.T) { t.Parallel(); test(t, version) })
	}
}

// AsUser1 returns the headers of a client of u1.
func AsUser1(tenant string) map[string]string {
	return map[string]string{"Helve-Tenant": tenant, "Helve-User": "u1"}
}
